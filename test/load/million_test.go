package load

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"
)

// An organization that has worked for a quarter. Most of what it did last week
// was done by one agent, so that every filter finds enough for a page far back.
const (
	everybody  = 10_000
	manyEvents = 1_000_000
	byOne      = manyEvents * 55 / 100
	quarter    = 90 * 24 * time.Hour
	lastDays   = 6 * 24 * time.Hour
	farPage    = 10_000
	pageSize   = 50
)

// BenchmarkMillion measures reads from a million events. Its filling alone
// takes a minute or more.
func BenchmarkMillion(b *testing.B) {
	few, many := open(b), open(b)
	one := few.staff(1)[0]
	few.report(newReporter([]string{one}, seeds.Add(1)), time.Now(), 8*pageSize, time.Minute)

	ids := many.veterans()
	b.Run("Feed", func(b *testing.B) { feeds(b, few, many, one, ids[0]) })
	b.Run("AgentPerformance", func(b *testing.B) { many.read(b, "/agents/"+ids[0]+"/performance") })
	b.Run("AgentHealth", func(b *testing.B) { many.read(b, "/agents/"+ids[0]+"/health") })
	b.Run("DepartmentHealth", func(b *testing.B) { many.read(b, "/departments/Research/health") })
	for _, over := range []time.Duration{time.Second, time.Minute} {
		b.Run(fmt.Sprintf("Ingest/over=%v", over), func(b *testing.B) { many.ingest(b, 4, ids, everybody, over) })
	}
}

// veterans are everybody with their past. The first one has done the most.
func (s *service) veterans() (ids []string) {
	s.Helper()
	ids = s.staff(everybody)
	now := time.Now()
	s.report(newReporter(ids, seeds.Add(1)), now, manyEvents-byOne, quarter)
	busy := newReporter(ids[:1], seeds.Add(1))
	s.report(busy, now, 1000, quarter)
	busy.types = []string{"task_completed"}
	s.report(busy, now, byOne, lastDays)
	return ids
}

// report tells of n events, the oldest first, spread evenly over a time that
// ends now.
func (s *service) report(r *reporter, now time.Time, n int, over time.Duration) {
	s.Helper()
	most := min(1000, 1+n/100)
	for left := n; left > 0; left -= min(left, most) {
		at := now.Add(-time.Duration(float64(over) * float64(left) / float64(n)))
		s.must(http.MethodPost, "/activities", r.request(min(left, most), at))
	}
}

// feeds compares pages of a long feed, the first one and one far back, with the
// first page of a short one.
func feeds(b *testing.B, few, many *service, ofFew, ofMany string) {
	for _, filter := range feedFilters {
		query := filter.query
		short := feedPath(query(ofFew), pageSize, "")
		b.Run(filter.name+"/page=1", func(b *testing.B) {
			compare(b, few, many, short, feedPath(query(ofMany), pageSize, ""))
		})
		far := many.skip(query(ofMany), (farPage-1)*pageSize)
		b.Run(fmt.Sprintf("%s/page=%d", filter.name, farPage), func(b *testing.B) {
			compare(b, few, many, short, feedPath(query(ofMany), pageSize, far))
		})
	}
}

// feedFilter is what a reader wants to see of the feed.
type feedFilter struct {
	name              string
	typ, agent, hours bool
}

var feedFilters = []feedFilter{
	{"all", false, false, false},
	{"type", true, false, false},
	{"agent", false, true, false},
	{"agent+type", true, true, false},
	{"hours", false, false, true},
	{"type+hours", true, false, true},
	{"agent+hours", false, true, true},
	{"agent+type+hours", true, true, true},
}

func (f feedFilter) query(agent string) url.Values {
	q := url.Values{}
	if f.typ {
		q.Set("type", "task_completed")
	}
	if f.agent {
		q.Set("agent_id", agent)
	}
	if f.hours {
		q.Set("last_n_hours", "168")
	}
	return q
}

func feedPath(query url.Values, limit int, cursor string) string {
	return listPath("/activities", query, limit, cursor)
}

// listPath is that of a page of a list.
func listPath(path string, query url.Values, limit int, cursor string) string {
	query.Set("limit", strconv.Itoa(limit))
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return path + "?" + query.Encode()
}

// skip walks past n events of a feed and returns the cursor there.
func (s *service) skip(query url.Values, n int) (cursor string) {
	s.Helper()
	return s.skipIn("/activities", query, n)
}

// skipIn walks past n entries of a list and returns the cursor there.
func (s *service) skipIn(list string, query url.Values, n int) (cursor string) {
	s.Helper()
	const most = 200
	for ; n > 0; n -= most {
		cursor = cursorOf(s, s.must(http.MethodGet, listPath(list, query, min(n, most), cursor), nil))
	}
	return cursor
}

// compare reads from two services in turn.
func compare(b *testing.B, first, second *service, firstPath, secondPath string) {
	alternate(b, "×short-feed", func() time.Duration { return first.time(b, firstPath) },
		func() time.Duration { return second.time(b, secondPath) })
}

// alternate asks two services in turn, so that both meet the same noise, and
// reports the medians: how long the second one took, and how many times as long
// as the first.
func alternate(b *testing.B, unit string, first, second func() time.Duration) {
	var base, took []time.Duration
	for b.Loop() {
		base = append(base, first())
		took = append(took, second())
	}
	slices.Sort(base)
	slices.Sort(took)
	middle := len(took) / 2
	b.ReportMetric(0, "ns/op") // that of both together
	b.ReportMetric(float64(took[middle].Microseconds()), "median-µs")
	b.ReportMetric(float64(took[middle])/float64(base[middle]), unit)
}

// read measures a read.
func (s *service) read(b *testing.B, path string) {
	var took []time.Duration
	for b.Loop() {
		took = append(took, s.time(b, path))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "99%-µs")
}

// time returns how long a read takes, which has to succeed.
func (s *service) time(b *testing.B, path string) time.Duration {
	b.Helper()
	return s.timed(b, s.request(http.MethodGet, path, nil))
}

// timed returns how long a request takes, which has to succeed.
func (s *service) timed(b *testing.B, r *http.Request) time.Duration {
	b.Helper()
	w := httptest.NewRecorder()
	began := time.Now()
	s.handler.ServeHTTP(w, r)
	took := time.Since(began)
	if w.Code/100 != 2 {
		b.Fatalf("%s %s = %d %s", r.Method, r.URL, w.Code, w.Body)
	}
	return took
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
