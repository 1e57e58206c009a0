package app

import (
	"context"
	"iter"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

// RowsAtOnce is how many rows of a list are read at once where all are read.
const RowsAtOnce = 200

// pages returns a list page by page; an error is the last element. read returns at
// most [RowsAtOnce] rows, beginning behind last; nil begins with the first.
func pages[T page.Row](read func(last *T) ([]T, error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var last *T
		for {
			rows, err := read(last)
			if !yield(rows, err) || err != nil || page.IsLast(rows, RowsAtOnce) {
				return
			}
			last = &rows[len(rows)-1]
		}
	}
}

// departmentsBehind returns at most [RowsAtOnce] departments in the company's order,
// beginning behind last; nil begins with the first.
func departmentsBehind(ctx context.Context, store ports.DepartmentStore, agents ports.AgentStore, last *Department) ([]Department, error) {
	var after company.OrderKey
	if last != nil {
		after = last.OrderKey
	}
	return listDepartments(ctx, store, agents, after, RowsAtOnce)
}

// agentsBehind returns at most [RowsAtOnce] agents of a department, or of all for "",
// in their order, beginning behind last; nil begins with the first.
func agentsBehind(ctx context.Context, store ports.AgentStore, department name.Key, last *agent.Record) ([]agent.Record, error) {
	q := agent.Query{Department: department, Limit: RowsAtOnce}
	if last != nil {
		q.After = new(last.Position())
	}
	return store.Records(ctx, q)
}
