package client

import (
	"context"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// PageQuery says which part of a list to read.
type PageQuery struct {
	// Limit is how many items a page has, from 1 to 200; 0 is the default of the
	// list.
	Limit int
	// Cursor is where to begin, [Page.Next] of an earlier page of the same list with
	// the same filters; "" is the beginning.
	Cursor string
}

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	// Limit is how many items a page has at most.
	Limit int
	// Next is the cursor of the next page, "" on the last one. It does not expire.
	Next string
	// ETag is the tag of the page, "" of lists whose pages have none.
	ETag string
	// DegradedSources are those that could not contribute; normally there are none.
	DegradedSources []string

	more bool // there are more items already, of a list that is followed
}

// pagination is where a page stands, as it goes over the wire.
type pagination struct {
	Limit   int64   `json:"limit"`
	Next    *string `json:"next_cursor"`
	HasMore bool    `json:"has_more"`
}

// getPage reads one page of the list at path. takes are the options that the operation
// knows.
func getPage[T any](ctx context.Context, c *Client, path string, q values, opts []Option, takes ...string) (Page[T], error) {
	r := request{method: http.MethodGet, path: path, query: q.Values, takes: takes}
	a, err := c.do(ctx, r, opts)
	if err != nil {
		return Page[T]{}, err
	}
	var p struct {
		Data       []T        `json:"data"`
		Pagination pagination `json:"pagination"`
		Degraded   []string   `json:"degraded_sources"`
	}
	if err := a.decode(&p, r); err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Items: p.Data, Limit: int(p.Pagination.Limit), ETag: a.header.Get("ETag"), DegradedSources: p.Degraded, more: p.Pagination.HasMore}
	if p.Pagination.Next != nil {
		page.Next = *p.Pagination.Next
	}
	return page, nil
}

// walk yields the items of the list at path, one page after the other. An error is
// the last thing that it yields.
func walk[T any](ctx context.Context, c *Client, path string, begin values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		q := values{maps.Clone(begin.Values)} // the sequence may be used again
		for {
			p, err := getPage[T](ctx, c, path, q, nil)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if len(p.DegradedSources) > 0 {
				c.log.LogAttrs(ctx, slog.LevelWarn, "orgd page is incomplete", slog.Any("degraded_sources", p.DegradedSources))
			}
			for _, item := range p.Items {
				if !yield(item, nil) {
					return
				}
			}
			if p.Next == "" {
				return
			}
			q.Set("cursor", p.Next)
		}
	}
}

// values are the parameters of a query. What is empty is not sent.
type values struct{ url.Values }

func (v values) text(name, value string) values {
	if value != "" {
		v.Set(name, value)
	}
	return v
}

// texts sends a parameter for each of the values.
func (v values) texts(name string, list []string) values {
	for _, value := range list {
		v.Add(name, value)
	}
	return v
}

func (v values) number(name string, value int64) values {
	if value != 0 {
		v.Set(name, strconv.FormatInt(value, 10))
	}
	return v
}

func (v values) flag(name string, value bool) values {
	if value {
		v.Set(name, "true")
	}
	return v
}

func (v values) time(name string, value time.Time) values {
	if !value.IsZero() {
		v.Set(name, value.UTC().Format(time.RFC3339Nano))
	}
	return v
}

// values begins a query with the part of the list.
func (q PageQuery) values() values {
	return values{url.Values{}}.number("limit", int64(q.Limit)).text("cursor", q.Cursor)
}
