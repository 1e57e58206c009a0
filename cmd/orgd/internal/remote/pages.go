package remote

import (
	"cmp"
	"iter"

	"orgd/client"
)

// Pages returns the query for pages that fit a limit, where 0 is no limit.
func Pages(limit uint) client.PageQuery {
	const largest = 200
	return client.PageQuery{Limit: int(min(cmp.Or(limit, largest), largest))}
}

// Collect reads items up to a limit, where 0 is no limit. It never returns a nil
// slice without an error.
func Collect[T any](items iter.Seq2[T, error], limit uint) ([]T, error) {
	all := []T{} // [] in JSON, not null
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
