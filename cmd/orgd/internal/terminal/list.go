package terminal

import (
	"cmp"
	"encoding/csv"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ListFlag says how a list is printed.
type ListFlag struct {
	Output  string   `short:"o" enum:"table,json,yaml,csv,name" default:"table" placeholder:"FORMAT" help:"How to print: table, json, yaml, csv, or name, which is one name a line (default ${default})."`
	Columns []string `placeholder:"COLUMN" help:"Only these columns of the table or of csv, in this order."`
	Sort    string   `placeholder:"COLUMN" help:"Order by this column; with a dash before it (--sort=-updated) from the last to the first."`
}

// AllFlag is [ListFlag] for a list that is printed in full, or up to a limit.
type AllFlag struct {
	ListFlag
	Limit uint `placeholder:"N" help:"Show at most so many (default all)."`
}

// Reads returns how many items are needed: 0 for all.
func (f AllFlag) Reads() uint {
	if f.Sort != "" {
		return 0
	}
	return f.Limit
}

// Full reports whether items are printed with all of their fields.
func (f ListFlag) Full() bool { return f.Output == "json" || f.Output == "yaml" }

// HasRows reports whether the rows of a table are needed.
func (f ListFlag) HasRows() bool { return !f.Full() || f.Sort != "" }

// Stream returns how to print items that come one after the other.
func (f ListFlag) Stream() (OutputFlag, error) {
	if f.Output != "table" && !f.Full() || f.Sort != "" || len(f.Columns) > 0 {
		return OutputFlag{}, Usagef("--watch: goes with -o table, json and yaml, and not with --columns or --sort")
	}
	return OutputFlag{f.Output}, nil
}

// Print prints the items of a list, for each of which fill adds a row below a header.
func (f ListFlag) Print(t *Terminal, items any, fill func(*Table)) error {
	return f.print(t, items, 0, fill)
}

// Print is [ListFlag.Print] up to the limit.
func (f AllFlag) Print(t *Terminal, items any, fill func(*Table)) error {
	return f.print(t, items, f.Limit, fill)
}

func (f ListFlag) print(t *Terminal, items any, limit uint, fill func(*Table)) error {
	if !f.HasRows() {
		return OutputFlag{f.Output}.Print(t, items, nil)
	}
	table := t.Table()
	fill(table)
	order, err := table.order(f.Sort)
	if err != nil {
		return err
	}
	if limit > 0 {
		order = order[:min(limit, uint(len(order)))]
	}
	if f.Full() {
		all := reflect.ValueOf(items)
		if all.Len() != len(table.rows)-1 {
			return Usagef("--sort: does not go with -o %s here", f.Output)
		}
		sorted := []any{}
		for _, i := range order {
			sorted = append(sorted, all.Index(i).Interface())
		}
		return OutputFlag{f.Output}.Print(t, sorted, nil)
	}
	if err := table.choose(order, f.Columns); err != nil {
		return err
	}
	switch f.Output {
	case "csv":
		return table.csv()
	case "name":
		return table.names()
	}
	return table.Flush()
}

// order returns the numbers of the rows below the header as a column orders them.
func (t *Table) order(column string) ([]int, error) {
	order := make([]int, len(t.rows)-1)
	for i := range order {
		order[i] = i
	}
	if column == "" {
		return order, nil
	}
	name, back := strings.CutPrefix(column, "-")
	at, err := t.column("--sort", name)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := t.rows[i+1].cells[at], t.rows[j+1].cells[at]
		switch {
		case a == "" || b == "": // it stands last
			return len(b[:min(1, len(b))]) - len(a[:min(1, len(a))])
		case back:
			a, b = b, a
		}
		return compareCells(a, b)
	})
	return order, nil
}

// choose keeps some rows and columns; no column is all of them.
func (t *Table) choose(order []int, columns []string) error {
	var at []int
	for _, name := range columns {
		i, err := t.column("--columns", name)
		if err != nil {
			return err
		}
		at = append(at, i)
	}
	rows := []row{t.rows[0]}
	for _, i := range order {
		rows = append(rows, t.rows[i+1])
	}
	for i, r := range rows {
		if len(at) > 0 {
			rows[i].cells = nil
			for _, c := range at {
				rows[i].cells = append(rows[i].cells, r.cells[c])
			}
		}
	}
	t.rows = rows
	return nil
}

// column returns the number of the column with a name, or the only one that begins with it.
// In names, a dash is a space.
func (t *Table) column(flag, name string) (int, error) {
	name = strings.ToUpper(strings.ReplaceAll(name, "-", " "))
	names, at := t.rows[0].cells, -1
	for i, n := range names {
		switch {
		case strings.EqualFold(n, name):
			return i, nil
		case name != "" && strings.HasPrefix(strings.ToUpper(n), name) && at < 0:
			at = i
		}
	}
	if at < 0 {
		known := strings.ReplaceAll(strings.ToLower(strings.Join(names, ", ")), " ", "-")
		return 0, Usagef("%s: there is no column %q; there are %s", flag, strings.ToLower(name), strings.ReplaceAll(known, ",-", ", "))
	}
	return at, nil
}

// csv prints the rows as CSV.
func (t *Table) csv() error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, r := range t.rows {
		if err := w.Write(r.cells); err != nil {
			return err
		}
	}
	w.Flush()
	return t.t.Write(b.String())
}

// names prints the names of the rows, each once.
func (t *Table) names() error {
	at := 0
	for _, column := range []string{"ID", "NAME", "AGENT"} {
		if i := slices.Index(t.rows[0].cells, column); i >= 0 {
			at = i
			break
		}
	}
	var names []string
	for _, r := range t.rows[1:] {
		names = append(names, r.cells[at]+"\n")
	}
	return t.t.Write(strings.Join(slices.Compact(names), ""))
}

// compareCells orders numbers and durations by what they are, before all other texts.
func compareCells(a, b string) int {
	x, isX := quantity(a)
	y, isY := quantity(b)
	switch {
	case isX && isY:
		return cmp.Compare(x, y)
	case isX:
		return -1
	case isY:
		return 1
	}
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}

// quantity returns the number that a cell begins with, as in "2500 EUR"; of a duration the seconds.
func quantity(cell string) (float64, bool) {
	first, _, _ := strings.Cut(cell, " ")
	if strings.Trim(first[:min(1, len(first))], "-0123456789") != "" {
		return 0, false // as in "Infinity"
	}
	if d, err := time.ParseDuration(first); err == nil {
		return d.Seconds(), true
	}
	n, err := strconv.ParseFloat(first, 64)
	return n, err == nil
}
