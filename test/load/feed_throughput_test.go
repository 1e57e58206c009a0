package load

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// walked is how many pages are read one after another: the clients are a hundred
// apart, so that the service has forgotten a page when the next one asks for it.
const walked = connections * 100

// BenchmarkThroughputFeed compares pages of a million events with gin that answers
// the same bytes from memory: the first one, one far back, and one after another.
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
	walk := make([]string, walked)
	for i, cursor := 0, ""; i < walked; i++ {
		walk[i] = feedPath(url.Values{}, pageSize, cursor)
		cursor = cursorOf(b, s.must(http.MethodGet, walk[i], nil))
	}
	stop()
	p := serve(b, dir, s.token)
	for _, at := range pages {
		b.Run(at.name, func(b *testing.B) {
			p.compare(b, always(p.request(http.MethodGet, at.path, nil)))
		})
	}
	b.Run("all/walk", func(b *testing.B) {
		requests := make([][]byte, walked)
		for i, path := range walk {
			requests[i] = p.request(http.MethodGet, path, nil)
		}
		p.compare(b, inTurn(requests))
	})
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
func cursorOf(tb testing.TB, body []byte) string {
	tb.Helper()
	var answer struct {
		Pagination struct {
			NextCursor string `json:"next_cursor"`
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Pagination.NextCursor == "" {
		tb.Fatalf("a page without a next one: %.300s, %v", body, err)
	}
	return answer.Pagination.NextCursor
}
