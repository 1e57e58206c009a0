package mongobench

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

const (
	// crowdTime is how long crowds press, crowdRounds how often.
	crowdTime   = 6 * time.Second
	crowdRounds = 3
	// patience is how long clients wait that leave.
	patience = 2 * time.Millisecond
	// kept is the share of their rate that clients keep whatever others do.
	kept = 0.7
)

// TestCrowds shows that nobody takes the storage from others: neither by asking for what
// is taken, nor by leaving, nor by being many.
func TestCrowds(t *testing.T) {
	if os.Getenv("ORGD_LONG") != "1" {
		t.Skip("SKIPPED: ORGD_LONG=1 is not set; make reliability sets it")
	}
	b := open(t)
	hire := func(name string) []byte {
		return b.request("POST", "/agents", fmt.Sprintf(`{"name":%q,"role":"Researcher","department":"Department 0"}`, name))
	}
	do, end := b.asks(b.addrs, "201", func(int) []byte { return hire("Bob") })(0)
	defer end()
	b.must(do())
	fresh := func() []byte { return hire(fmt.Sprint("Member ", made.Add(1))) }
	taken := func() []byte { return hire("BOB") }
	others := crowd{16, fresh, false}
	takers, leavers := crowd{8, taken, false}, crowd{16, fresh, true}
	b.keeps("16 clients beside 8 that create what exists", true, others, others, takers)
	b.keeps("16 clients beside 16 that leave after 2 ms", true, others, others, leavers)
	b.keeps("16 clients beside both", true, others, others, takers, leavers)
	b.keeps("2 500 clients, against 200", false, crowd{200, fresh, false}, crowd{2500, fresh, false})
}

// crowd is clients that send requests all the time.
type crowd struct {
	clients int
	next    func() []byte
	leave   bool // whether they do not wait for the answer
}

// keeps compares the rate of a crowd with that of another one beside more. The median of
// pairs of runs counts: other work on the machine meets both of a pair. If all is set, none of
// the other crowd may be answered that there is no storage.
func (b *bench) keeps(what string, all bool, alone, other crowd, beside ...crowd) {
	b.Helper()
	var ratios []float64
	for range crowdRounds {
		before := b.press(alone)[0]
		after := b.press(append([]crowd{other}, beside...)...)[0]
		ratios = append(ratios, after.rate()/before.rate())
		b.Logf("R32: %s: %.0f changes a second %v, before %.0f %v", what, after.rate(), after, before.rate(), before)
		if failed := after[http.StatusServiceUnavailable]; all && failed > 0 {
			b.Errorf("%s: %d answers are 503, want none", what, failed)
		}
	}
	slices.Sort(ratios)
	if middle := ratios[len(ratios)/2]; middle < kept {
		b.Errorf("%s: they keep %.2f of their rate, want %.2f", what, middle, kept)
	}
}

// tally counts answers by their status; 0 is none.
type tally map[int]int

func (t tally) rate() float64 { return float64(t[http.StatusCreated]) / crowdTime.Seconds() }

// press lets crowds send requests at the same time.
func (b *bench) press(crowds ...crowd) []tally {
	tallies := make([]tally, len(crowds))
	var mu sync.Mutex
	var all sync.WaitGroup
	until := time.Now().Add(crowdTime)
	for i, c := range crowds {
		tallies[i] = tally{}
		for range c.clients {
			all.Go(func() {
				got := b.client(c, until)
				mu.Lock()
				defer mu.Unlock()
				for status, n := range got {
					tallies[i][status] += n
				}
			})
		}
	}
	all.Wait()
	return tallies
}

// client sends requests one after the other, over a new connection if there was no answer.
func (b *bench) client(c crowd, until time.Time) tally {
	got := tally{}
	for time.Now().Before(until) {
		conn, err := net.Dial("tcp", b.addrs[0])
		if err != nil {
			b.Error(err)
			return got
		}
		for in, status := bufio.NewReader(conn), 1; status > 0 && time.Now().Before(until); {
			if c.leave {
				conn.SetReadDeadline(time.Now().Add(patience))
			}
			status = answer(conn, in, c.next())
			got[status]++
		}
		conn.Close()
	}
	return got
}

// answer returns the status of the answer to a request, or 0.
func answer(conn net.Conn, in *bufio.Reader, request []byte) int {
	if _, err := conn.Write(request); err != nil {
		return 0
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return 0
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}
