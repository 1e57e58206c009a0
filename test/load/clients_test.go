package load

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// connections is how many clients ask at once, each on a connection of its own.
const connections = 32

// traffic returns the next request of one client, whole, as it goes over the
// wire, or nil if it has no more. It is called once more after the last answer.
type traffic func() []byte

// always asks the same again and again.
func always(request []byte) func(client int) traffic {
	return func(int) traffic { return func() []byte { return request } }
}

// inTurn asks each of some requests, every client from a place of its own.
func inTurn(requests [][]byte) func(client int) traffic {
	return func(client int) traffic {
		at := client * len(requests) / connections
		return func() []byte {
			at = (at + 1) % len(requests)
			return requests[at]
		}
	}
}

// outcome is what the clients of one run saw.
type outcome struct {
	elapsed time.Duration
	took    []time.Duration // sorted
}

func (o outcome) rate() float64 { return float64(len(o.took)) / o.elapsed.Seconds() }

// within returns the time within which a share of the requests was answered.
func (o outcome) within(share float64) time.Duration {
	return o.took[int(share*float64(len(o.took)-1))]
}

// drive sends requests from all clients until the time is over. Every answer has
// to have the status.
func drive(tb testing.TB, addr string, status int, make func(client int) traffic, over time.Duration) outcome {
	tb.Helper()
	began := time.Now()
	times := [connections][]time.Duration{}
	errs := [connections]error{}
	var all sync.WaitGroup
	for i := range connections {
		all.Go(func() { times[i], errs[i] = ask(addr, status, make(i), began.Add(over)) })
	}
	all.Wait()
	o := outcome{elapsed: time.Since(began), took: slices.Concat(times[:]...)}
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
	slices.Sort(o.took)
	return o
}

// ask sends the requests of one client and returns how long each took.
func ask(addr string, status int, next traffic, until time.Time) (took []time.Duration, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close() // nothing of it is needed any more
	a := answers{in: bufio.NewReaderSize(conn, 64<<10)}
	request := next()
	for sent := time.Now(); request != nil && sent.Before(until); request = next() {
		if _, err := conn.Write(request); err != nil {
			return nil, err
		}
		if err := a.read(); err != nil {
			return nil, fmt.Errorf("%.80q: %w", request, err)
		}
		if a.status != status {
			return nil, fmt.Errorf("%.80q = %d %s, want %d", request, a.status, a.rest(), status)
		}
		now := time.Now()
		took = append(took, now.Sub(sent))
		sent = now
	}
	return took, nil
}

// answers reads the answers on a connection, with next to no work for a client
// that shares the processors with who answers. They have a length or no body.
type answers struct {
	in     *bufio.Reader
	status int
	body   []byte // the beginning
}

func (a *answers) read() error {
	line, err := a.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if len(line) < len("HTTP/1.1 200 ") {
		return fmt.Errorf("no status line: %q", line)
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return err
	}
	length := 0
	for {
		if line, err = a.in.ReadSlice('\n'); err != nil {
			return err
		}
		name, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		switch {
		case !ok:
			return a.skip(length)
		case string(name) == "Content-Length":
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		case string(name) == "Transfer-Encoding":
			return fmt.Errorf("an answer of unknown length")
		}
	}
}

// skip passes a body by, of which it keeps the beginning.
func (a *answers) skip(length int) error {
	start, err := a.in.Peek(min(length, 300))
	if err != nil {
		return err
	}
	a.body = append(a.body[:0], start...)
	_, err = a.in.Discard(length)
	return err
}

func (a *answers) rest() []byte { return a.body }
