package load

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkThroughputFeed compares pages of a million events, the first one and
// one far back, with gin that answers the same bytes from memory.
func BenchmarkThroughputFeed(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "data")
	s, stop := openIn(b, dir)
	ids := s.veterans()
	type page struct{ name, path string }
	var pages []page
	for _, f := range feedFilters {
		query := f.query(ids[0])
		pages = append(pages,
			page{f.name + "/page=1", feedPath(query, pageSize, "")},
			page{f.name + "/page=10000", feedPath(query, pageSize, s.skip(query, (farPage-1)*pageSize))})
	}
	stop()
	p := serve(b, dir, s.token)
	for _, at := range pages {
		b.Run(at.name, func(b *testing.B) {
			p.compare(b, always(p.request(http.MethodGet, at.path, nil)))
		})
	}
}

// BenchmarkThroughputIngest measures how many events a second are taken in for
// good, in batches of 500, and gin that reads as much and answers the same.
func BenchmarkThroughputIngest(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "data")
	token, hired := settle(b, dir, 0)
	p := serve(b, dir, token)
	ids := make([]string, len(hired))
	for i, a := range hired {
		ids[i] = a.id
	}
	var seed atomic.Uint64
	reports := func(client int) traffic {
		r := newReporter(ids[client*20:client*20+20], seed.Add(1))
		return func([]byte) []byte {
			return p.request(http.MethodPost, "/activities", r.request(eachRequest, time.Now()))
		}
	}
	p.compare(b, reports)
}

// cursorOf returns the cursor behind a page.
func cursorOf(b *testing.B, body []byte) string {
	b.Helper()
	var answer struct {
		Pagination struct {
			NextCursor string `json:"next_cursor"`
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Pagination.NextCursor == "" {
		b.Fatalf("a page without a next one: %.300s, %v", body, err)
	}
	return answer.Pagination.NextCursor
}
