package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"orgd/domain/limit"
	"orgd/test/process"
)

// program is the real program in a process of its own, with all that it does
// for each request: token, limits, metrics, access log.
type program struct {
	*process.Process
	addr        string
	credentials string // the header lines that say who asks
}

// serve starts the program on a directory that [openIn] has made.
func serve(b *testing.B, dir, token string, flags ...string) *program {
	b.Helper()
	binary, err := process.Build(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	return serveBinary(b, binary, dir, token, flags...)
}

func serveBinary(b *testing.B, binary, dir, token string, flags ...string) *program {
	b.Helper()
	log, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	p, err := process.ServeQuietly(context.Background(), binary, process.FreeAddr(b), log, append(wideFlags(dir), flags...)...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if code, err := p.Terminate(); code != 0 || err != nil {
			b.Errorf("the program ended with %d, %v", code, err)
		}
		wantCleanLog(b, log)
	})
	return &program{Process: p, addr: strings.TrimPrefix(p.URL, "http://"), credentials: "Authorization: Bearer " + token}
}

func (p *program) side() side { return side{p.addr, p.PID()} }

// wantCleanLog demands that a log tells of no failure.
func wantCleanLog(b *testing.B, log *os.File) {
	b.Helper()
	text, err := os.ReadFile(log.Name())
	if err := errors.Join(err, log.Close()); err != nil {
		b.Error(err)
	}
	if at := bytes.Index(text, []byte(`{"level":"error"`)); at >= 0 {
		b.Errorf("the program logged errors, the first of which is %.1000s", text[at:])
	}
}

// wideFlags are limits that are on and never reached.
func wideFlags(dir string) []string {
	caps := wide()
	rates := maps.Clone(caps.Operations)
	rates[limit.AddressName], rates[limit.SubjectName] = caps.Address, caps.Subject
	flags := []string{"--data-dir", dir}
	for what, r := range rates {
		flags = append(flags, "--limit", fmt.Sprintf("%s=%d/%s", what, r.Cap, r.Length))
	}
	for op, n := range caps.Slots {
		flags = append(flags, "--limit-at-once", fmt.Sprintf("%s=%d", op, n))
	}
	return flags
}

// request is a request as it goes over the wire. More header lines may follow.
func (p *program) request(method, path string, body []byte, headers ...string) []byte {
	var r bytes.Buffer
	fmt.Fprintf(&r, "%s /api/v1%s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method, path, p.addr, p.credentials)
	for _, h := range headers {
		r.WriteString(h + "\r\n")
	}
	if body != nil {
		fmt.Fprintf(&r, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	r.WriteString("\r\n")
	r.Write(body)
	return r.Bytes()
}

// sample sends one request and returns the body of the answer.
func (p *program) sample(b *testing.B, request []byte) []byte {
	b.Helper()
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close() // nothing of it is needed any more
	if _, err := conn.Write(request); err != nil {
		b.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		b.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// used returns the processor time of a process, in steps of 10 ms.
func used(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		tb.Fatal(err)
	}
	// The name, in parentheses, may hold anything; what follows is separated by
	// spaces, and the 12th and 13th are user and system time (proc_pid_stat(5)).
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// figure returns a number that a file of a process in /proc has behind a name.
func figure(tb testing.TB, pid int, file, name string) (value float64) {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, _ := strings.Cut("\n"+string(text), "\n"+name)
	if _, err := fmt.Sscan(rest, &value); err != nil {
		tb.Fatal(err)
	}
	return value
}
