package main

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// table writes rows in columns. Rows may also come one by one: a column is then
// as wide as it was before, or wider.
type table struct {
	p      *process
	widths []int
	rows   []tableRow
}

type tableRow struct {
	cells []string
	bold  int    // how many of the first cells stand out
	alone string // a line without cells
}

func (p *process) table() *table { return &table{p: p} }

// header adds the names of the columns.
func (t *table) header(names ...string) {
	t.rows = append(t.rows, tableRow{cells: names, bold: len(names)})
}

// row adds a row.
func (t *table) row(cells ...string) { t.add(0, cells) }

// field adds a name and a value, unless there is none.
func (t *table) field(name, value string) {
	if value != "" {
		t.add(1, []string{name, value})
	}
}

// text adds lines below, after an empty one, unless there are none.
func (t *table) text(lines string) {
	if lines == "" {
		return
	}
	t.rows = append(t.rows, tableRow{})
	for l := range strings.Lines(lines) {
		t.alone(strings.TrimRight(l, "\r\n"))
	}
}

// alone adds a line that no column takes part in.
func (t *table) alone(text string) { t.rows = append(t.rows, tableRow{alone: visible(text)}) }

func (t *table) add(bold int, cells []string) {
	for i := range cells {
		cells[i] = visible(cells[i])
	}
	t.rows = append(t.rows, tableRow{cells: cells, bold: bold})
}

// flush writes what was added.
func (t *table) flush() error {
	for _, r := range t.rows {
		for i, cell := range r.cells {
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
	_, err := fmt.Fprint(t.p.stdout, b.String())
	return err
}

func (t *table) write(b *strings.Builder, r tableRow) {
	b.WriteString(r.alone)
	gap := 0 // owed before the next cell that is not empty
	for i, cell := range r.cells {
		if cell != "" {
			b.WriteString(strings.Repeat(" ", gap))
			gap = 0
			if i < r.bold {
				b.WriteString(t.p.color(bold, cell))
			} else {
				b.WriteString(cell)
			}
		}
		gap += t.widths[i] - utf8.RuneCountInString(cell) + 2
	}
	b.WriteByte('\n')
}

// when is a time in a table.
func when(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// word is what may be absent.
func word[T ~string](v *T) string {
	if v == nil {
		return ""
	}
	return string(*v)
}
