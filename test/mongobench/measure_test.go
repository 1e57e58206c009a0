package mongobench

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

const (
	rounds  = 3
	runTime = 3 * time.Second
	warmUp  = time.Second
)

// operations returns what a client does again and again, and what ends it.
type operations func(client int) (do func() error, end func())

// plain is an operation of the driver.
func plain(do func(context.Context) error) operations {
	return func(int) (func() error, func()) {
		return func() error { return do(context.Background()) }, func() {}
	}
}

// request is a request as it goes over the wire.
func (b *bench) request(method, path, body string) []byte {
	return fmt.Appendf(nil, "%s /api/v1%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, b.token, len(body), body)
}

// asks sends requests, each client over a connection to one of the addresses. It does
// less than a client of net/http would: it shares the processors with who answers.
func (b *bench) asks(addrs []string, status string, next func(client int) []byte) operations {
	return func(i int) (do func() error, end func()) {
		conn, err := net.Dial("tcp", addrs[i%len(addrs)])
		if err != nil {
			return func() error { return err }, func() {}
		}
		in := bufio.NewReader(conn)
		return func() error {
			if _, err := conn.Write(next(i)); err != nil {
				return err
			}
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				return err
			}
			if !strings.HasPrefix(resp.Status, status) {
				body, _ := io.ReadAll(resp.Body) // of an answer that is wrong already
				return fmt.Errorf("%s %.300s, want %s", resp.Status, body, status)
			}
			_, err = io.Copy(io.Discard, resp.Body)
			return err
		}, func() { conn.Close() }
	}
}

// result is what the clients of a run saw.
type result struct {
	rate     float64 // operations a second
	p50, p99 time.Duration
	errs     []error
}

// drive lets clients do operations until the time is over. One that meets an error
// ends.
func drive(clients int, of operations, over time.Duration) (r result) {
	took, errs := make([][]time.Duration, clients), make([]error, clients)
	var all sync.WaitGroup
	began := time.Now()
	for i := range clients {
		all.Go(func() {
			do, end := of(i)
			defer end()
			for sent := time.Now(); sent.Sub(began) < over && errs[i] == nil; {
				errs[i] = do()
				now := time.Now()
				took[i] = append(took[i], now.Sub(sent))
				sent = now
			}
		})
	}
	all.Wait()
	times := slices.Sorted(slices.Values(slices.Concat(took...)))
	r.rate = float64(len(times)) / time.Since(began).Seconds()
	r.p50, r.p99 = times[len(times)/2], times[len(times)*99/100]
	r.errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	return r
}

// side is one that is measured.
type side struct {
	name string
	do   operations
}

type comparison struct{ *tabwriter.Writer }

func newComparison() comparison {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\twho\tclients\tper second\tp50 ms\tp99 ms\terrors\tratio\t")
	return comparison{w}
}

// compare measures sides in turn and prints the run with the median rate of each, and
// its ratio to that of the first side. An operation counts as things operations.
func (c comparison) compare(t *testing.T, what string, clients, things int, sides ...side) {
	t.Run(fmt.Sprintf("%s/%d", what, clients), func(t *testing.T) {
		for _, s := range sides {
			drive(clients, s.do, warmUp)
		}
		runs := make([][]result, len(sides))
		for range rounds {
			for i, s := range sides {
				r := drive(clients, s.do, runTime)
				r.rate *= float64(things)
				runs[i] = append(runs[i], r)
				for _, err := range r.errs {
					t.Error(s.name, err)
				}
			}
		}
		var first float64
		for i, s := range sides {
			slices.SortFunc(runs[i], func(a, b result) int { return cmp.Compare(a.rate, b.rate) })
			r := runs[i][rounds/2]
			if i == 0 {
				first = r.rate
			}
			fmt.Fprintf(c, "%s\t%s\t%d\t%.0f\t%.1f\t%.1f\t%d\t%.2f\t\n", what, s.name, clients, r.rate, ms(r.p50), ms(r.p99), len(r.errs), r.rate/first)
		}
	})
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
