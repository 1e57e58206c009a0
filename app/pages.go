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

// RowsAtOnce is the page size when a whole list is read page by page.
const RowsAtOnce = 200

// pages returns a list page by page; an error is the last element. read returns at
// most [RowsAtOnce] rows that follow last, or the first ones if last is nil.
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

// departmentsBehind returns at most [RowsAtOnce] departments in the company's order that
// follow last, or the first ones if last is nil.
func departmentsBehind(ctx context.Context, store ports.DepartmentStore, agents ports.AgentReader, last *Department) ([]Department, error) {
	var after company.OrderKey
	if last != nil {
		after = last.OrderKey
	}
	return listDepartments(ctx, store, agents, after, RowsAtOnce)
}

// agentsBehind returns at most [RowsAtOnce] agents of a department, or of all if it is "",
// in their order: those that follow last, or the first ones if last is nil.
func agentsBehind(ctx context.Context, store ports.AgentReader, department name.Key, last *agent.Record) ([]agent.Record, error) {
	q := agent.Query{Department: department, Limit: RowsAtOnce}
	if last != nil {
		q.After = new(last.Position())
	}
	return store.Records(ctx, q)
}
