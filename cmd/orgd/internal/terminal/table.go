package terminal

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Table prints rows in columns. Each flush prints the rows that were added since
// the last one. A column keeps its width or grows.
type Table struct {
	t      *Terminal
	widths []int
	rows   []row
}

type row struct {
	cells []string
	bold  int    // how many of the first cells are bold
	line  string // instead of cells
}

// Table returns an empty table whose columns have at least these widths.
func (t *Terminal) Table(widths ...int) *Table { return &Table{t: t, widths: widths} }

// Header adds the names of the columns.
func (t *Table) Header(names ...string) {
	t.rows = append(t.rows, row{cells: names, bold: len(names)})
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.add(0, cells) }

// Rows returns what fills a table with columns and a row for each item.
func Rows[T any](columns []string, items []T, cells func(T) []string) func(*Table) {
	return func(t *Table) {
		t.Header(columns...)
		for _, item := range items {
			t.Row(cells(item)...)
		}
	}
}

// Field adds a name and a value, unless the value is empty.
func (t *Table) Field(name, value string) {
	if value != "" {
		t.add(1, []string{name, value})
	}
}

// Text adds an empty line and the lines of a text, unless the text is empty.
func (t *Table) Text(text string) {
	if text == "" {
		return
	}
	t.rows = append(t.rows, row{})
	for l := range strings.Lines(text) {
		t.Line(strings.TrimRight(l, "\r\n"))
	}
}

// Line adds a line that is not in columns.
func (t *Table) Line(text string) { t.rows = append(t.rows, row{line: Visible(text)}) }

func (t *Table) add(bold int, cells []string) {
	t.rows = append(t.rows, row{cells: cells, bold: bold})
}

// Flush prints the rows on standard output.
func (t *Table) Flush() error {
	for _, r := range t.rows {
		for i, cell := range r.cells {
			cell = Visible(cell)
			r.cells[i] = cell
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, r := range t.rows {
		t.write(&b, r)
	}
	t.rows = nil
	_, err := fmt.Fprint(t.t.Stdout, b.String())
	return err
}

func (t *Table) write(b *strings.Builder, r row) {
	b.WriteString(r.line)
	gap := 0 // spaces before the next cell that is not empty
	for i, cell := range r.cells {
		if cell != "" {
			b.WriteString(strings.Repeat(" ", gap))
			gap = 0
			if i < r.bold {
				b.WriteString(t.t.Color(Bold, cell))
			} else {
				b.WriteString(cell)
			}
		}
		gap += t.widths[i] - utf8.RuneCountInString(cell) + 2
	}
	b.WriteByte('\n')
}

// Time is a time in a table.
func Time(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// TimeOrNone is a time in a table that may be absent.
func TimeOrNone(t *time.Time) string {
	if t == nil {
		return ""
	}
	return Time(*t)
}

// Word is a value in a table that may be absent.
func Word[T ~string](v *T) string {
	if v == nil {
		return ""
	}
	return string(*v)
}
