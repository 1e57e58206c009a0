package budget

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	maxReport = 8 << 20   // the bound of a body of events
	maxBodies = 200 << 20 // what the bodies of all requests may add to a process at rest
	reporters = 16
)

// How many connections hold bodies back, and for how long.
var (
	heldBack = size(300, 600)
	attacked = size(6*time.Second, 30*time.Second)
)

// attack is what some clients do that send bodies at once.
type attack struct {
	Addr, Route, Token string
	Body               []byte
	Hold               bool // the last byte is never sent
	Clients            int
}

// attackVariable has this program be the clients of another one's test. It names the file
// that says what they do.
const attackVariable = "ORGD_TEST_ATTACK"

// run sends the request again and again, on new connections, until ctx ends. It counts
// the answers by their status; 0 is none.
func (a attack) run(ctx context.Context, count func(status int)) {
	for ctx.Err() == nil {
		status := a.once(ctx)
		if ctx.Err() != nil {
			return
		}
		count(status)
		time.Sleep(20 * time.Millisecond)
	}
}

func (a attack) once(ctx context.Context) (status int) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", a.Addr)
	if err != nil {
		return 0
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	body := a.Body
	if a.Hold {
		body = body[:len(body)-1]
	}
	go func() { // whatever becomes of it, the answer counts
		_, _ = fmt.Fprintf(conn, "POST /api/v1%s HTTP/1.1\r\nHost: orgd\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Idempotency-Key: %p\r\nContent-Length: %d\r\n\r\n", a.Route, a.Token, conn, len(a.Body))
		_, _ = conn.Write(body)
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// largestReport is a report of one agent, as long as one can be.
func (s *service) largestReport(agent string) []byte {
	one := event(agent)
	n := (maxReport - 100) / len(encode(s.T, one))
	all := encode(s.T, object{"events": slices.Repeat([]object{one}, n)})
	return append(all, bytes.Repeat([]byte(" "), maxReport-len(all))...)
}

// tally counts answers by their status.
type tally struct {
	mu  sync.Mutex
	all map[int]int
}

func (t *tally) count(status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all[status]++
}

// attackers is the process of the clients. It returns its exit code.
func attackers(file string) int {
	text, err := os.ReadFile(file)
	var all []attack
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	ctx, cancel := context.WithTimeout(context.Background(), attacked)
	defer cancel()
	answers := tally{all: map[int]int{}}
	var clients sync.WaitGroup
	for _, a := range all {
		for range a.Clients {
			clients.Go(func() { a.run(ctx, answers.count) })
		}
	}
	clients.Wait()
	fmt.Print(answers.all)
	return 0
}

// attack begins what the clients do, in a process that yields to others. end returns how
// often they got which status.
func (w *world) attack(all []attack) (end func() string) {
	w.Helper()
	for i := range all {
		all[i].Addr = strings.TrimPrefix(w.URL, "http://")
	}
	file := filepath.Join(w.TempDir(), "attack.json")
	cmd := exec.CommandContext(w.Context(), "nice", "-n", "19", os.Args[0])
	cmd.Env = append(os.Environ(), attackVariable+"="+file)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, os.WriteFile(file, encode(w.T, all), 0o600)); err != nil {
		w.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		w.Fatalf("clients: %q, %v", line, err)
	}
	return func() string {
		text, err := io.ReadAll(lines)
		if err := errors.Join(err, cmd.Wait()); err != nil {
			w.Errorf("clients: %v", err)
		}
		return string(text)
	}
}

// besides has attackers at work while others do, and wants the process not to have grown
// by more than bodies may. Then it wants an honest report of the largest size to be taken
// in, at once, and others not to have waited long.
func (w *world) besides(attacks []attack) {
	w.Helper()
	clients := make([]string, others)
	for i := range clients {
		clients[i] = w.mint(fmt.Sprintf("other%d", i), "editor")
	}
	honest := w.crowd[len(w.crowd)-1]
	report := request{method: http.MethodPost, path: "/api/v1/activities", token: w.mint(honest, "agent"), body: w.largestReport(honest)}
	w.steadily(clients, attacked/5) // finds nothing in the caches
	before := w.steadily(clients, attacked)
	w.resetPeak()
	idle := w.memory("VmRSS")
	end := w.attack(attacks)
	var all sync.WaitGroup
	var took time.Duration
	all.Go(func() {
		time.Sleep(attacked / 3)
		begin := time.Now()
		if _, err := w.callOnce(report, nil); err != nil {
			w.Errorf("an honest report of %d bytes: %v", len(report.body), err)
		}
		took = time.Since(begin)
	})
	meanwhile := w.steadily(clients, attacked)
	all.Wait()
	answers := end()
	peak := w.memory("VmHWM")
	w.Logf("budget: clients got %s; the process had %d MiB before and %d more at most; an honest report took %v",
		answers, idle>>20, (peak-idle)>>20, took.Round(time.Millisecond))
	w.Logf("budget: others alone: half within %v, 99 %% within %v; beside them %v and %v",
		part(before, 50), part(before, 99), part(meanwhile, 50), part(meanwhile, 99))
	if peak > idle+maxBodies {
		w.Errorf("the process had %d MiB more, want at most %d", (peak-idle)>>20, maxBodies>>20)
	}
	if got, want := part(meanwhile, 99), maxSlower*part(before, 99); got > want && size(false, true) {
		w.Errorf("99 %% of the others' requests took up to %v, want at most %v", got, want)
	}
}

// crowded is a service with many agents and limits that nobody meets.
func crowded(t *testing.T) *world {
	t.Helper()
	w := &world{service: embedded(t)}
	w.makeCrowd()
	w.env, w.limits = []string{"GOMEMLIMIT=460MiB"}, farLimits() // as in the chart
	w.restart()
	return w
}

// TestBodiesThatNobodyTakes holds back the last byte of bodies, on a route that takes none
// and on one that the caller may not use.
func TestBodiesThatNobodyTakes(t *testing.T) {
	w := crowded(t)
	body := bytes.Repeat([]byte("x"), 1<<20)
	viewer := w.mint("vi", "viewer")
	w.besides([]attack{
		{Route: "/auth/renew", Token: viewer, Body: body, Hold: true, Clients: heldBack / 2},
		{Route: "/agents", Token: viewer, Body: body, Hold: true, Clients: heldBack / 2},
	})
}

// TestBodiesOfOneSubject holds back the last byte of bodies that the caller may send.
func TestBodiesOfOneSubject(t *testing.T) {
	w := crowded(t)
	body := bytes.Repeat([]byte(" "), 1<<20)
	editor := w.mint("ed", "editor")
	w.besides([]attack{{Route: "/agents", Token: editor, Body: body, Hold: true, Clients: heldBack}})
}

// TestLargeReports has agents send the largest reports, eight at once each: whole ones, and
// ones of which the last byte is held back.
func TestLargeReports(t *testing.T) {
	for what, hold := range map[string]bool{"whole": false, "held back": true} {
		t.Run(what, func(t *testing.T) {
			w := crowded(t)
			var all []attack
			for i := range reporters {
				agent := w.crowd[i]
				all = append(all, attack{Route: "/activities", Token: w.mint(agent, "agent"), Body: w.largestReport(agent), Hold: hold, Clients: 8})
			}
			w.besides(all)
		})
	}
}
