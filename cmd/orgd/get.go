package main

import (
	"iter"

	"orgd/client"
)

// getCmd lists what the service holds.
type getCmd struct {
	Agents      agentsCmd      `cmd:"" help:"List agents."`
	Departments departmentsCmd `cmd:"" help:"List departments."`
	Projects    projectsCmd    `cmd:"" help:"List projects."`
	Activities  activitiesCmd  `cmd:"" help:"List what happened, or follow it."`
}

// allFlag bounds a list that ends.
type allFlag struct {
	Limit uint `placeholder:"N" help:"Show at most so many (default all)."`
}

func (f allFlag) pages() client.PageQuery { return pages(f.Limit) }

// pages asks for pages that fit a limit, where 0 is none.
func pages(limit uint) client.PageQuery {
	const largest = 200
	if limit == 0 {
		limit = largest
	}
	return client.PageQuery{Limit: int(min(limit, largest))}
}

// collect reads items up to a limit, where 0 is none.
func collect[T any](items iter.Seq2[T, error], limit uint) ([]T, error) {
	all := []T{} // which is no null in JSON
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		if all = append(all, item); uint(len(all)) == limit {
			break
		}
	}
	return all, nil
}
