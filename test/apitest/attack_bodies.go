package apitest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostileBody is a body that no operation accepts.
type hostileBody struct {
	what   string
	header string // further lines of the header
	text   string // what is sent
	// announced is the Content-Length; -1 sends the text in chunks, -2 as it is,
	// with chunks that the text has itself.
	announced int
	// json reports a body that is JSON, and so good enough where any object is.
	json bool
}

const (
	chunked    = -1
	ownChunks  = -2
	mebibyte   = 1 << 20
	largest    = 64 * mebibyte
	bodyAnswer = 10 * time.Second
)

// hostileBodyOf makes a body of about n bytes.
func (m mutator) hostileBodyOf(n int) hostileBody {
	half := max(1, n/2)
	fill := func(part, end string) string { return strings.Repeat(part, 1+n/len(part)) + end }
	b := hostileBody{announced: chunked * m.IntN(2)}
	switch m.IntN(15) {
	case 0:
		b.what, b.text = "white space", fill(" ", "")
	case 1:
		b.what, b.text = "open arrays", fill("[", "")
	case 2:
		b.what, b.text = "open objects", fill(`{"a":`, "")
	case 3:
		b.what, b.text = "deep arrays", `{"x":`+strings.Repeat("[", half+40)+strings.Repeat("]", half+40)+"}"
	case 4:
		b.what, b.text, b.json = "many keys", m.manyKeys(min(n, 2*mebibyte)/10), true
	case 5:
		b.what, b.text = "equal keys", "{"+fill(`"a":1,`, `"a":1}`)
	case 6:
		b.what, b.text = "byte order mark", "\ufeff{\"x\":\""+fill("x", `"}`)
	case 7:
		b.what, b.header, b.text = "gzip", "Content-Encoding: "+pick(m, []string{"gzip", "x-gzip", "deflate", "br", "zstd", "gzip, identity"})+"\r\n", gzipped(n)
	case 8:
		b.what, b.text = "array", "["+fill("1,", "1]")
	case 9:
		b.what, b.text = "text", `"`+fill("ä", `"`)
	case 10:
		b.what, b.text, b.json = "long text", `{"x":"`+fill(`\u00e4`, `"}`), true
	case 11:
		b.what, b.text, b.json = "long number", `{"x":`+fill("9", "}"), true
	case 12:
		b.what, b.text = "noise", m.noise(min(n, mebibyte))
	default:
		return m.lyingBody(n)
	}
	if b.announced == 0 {
		b.announced = len(b.text)
	}
	return b
}

// lyingBody makes a body that is not as long as it says.
func (m mutator) lyingBody(n int) hostileBody {
	text := `{"x":"` + strings.Repeat("x", n) + `"}`
	switch m.IntN(6) {
	case 0:
		return hostileBody{what: "announced as longer", text: text, announced: len(text) + 1 + m.IntN(2*mebibyte)}
	case 1:
		return hostileBody{what: "announced as shorter", text: text, announced: 1 + m.IntN(len(text)-1)}
	case 2:
		return hostileBody{what: "announced as nothing", text: text, announced: 0}
	case 3:
		return hostileBody{what: "cut chunk", text: fmt.Sprintf("%x\r\n%s", len(text)+1, text), announced: ownChunks}
	case 4:
		return hostileBody{what: "no last chunk", text: fmt.Sprintf("%x\r\n%s\r\n", len(text), text), announced: ownChunks}
	}
	return hostileBody{what: "malformed chunk", text: pick(m, []string{"-1", "0x5", "fffffffffffffffff", "5;\x00", " ", "\n", "ffffffffffffffff"}) + "\r\n" + text, announced: ownChunks}
}

// manyKeys is an object with n names.
func (m mutator) manyKeys(n int) string {
	text := []byte{'{'}
	for i := range max(n, 100) { // more than any object may have
		text = fmt.Appendf(text, `"k%d":1,`, i)
	}
	return string(text[:len(text)-1]) + "}"
}

func (m mutator) noise(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(m.Uint32())
	}
	return string(text)
}

// gzipped is an object that takes n bytes once it is unpacked.
func gzipped(n int) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprintf(w, `{"x":"%s"}`, strings.Repeat("x", n))
	if err := w.Close(); err != nil {
		panic(err) // it writes to memory
	}
	return packed.String()
}

// R13: whatever a body is made of, it is refused as one, by every operation that
// takes a body, in time that follows from its length.
func hostileBodies(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	m := random(t)
	var small, large []time.Duration
	n := size(100, 2000)
	for i := range n {
		// Every size up to a little more than the usual limit, now and then more.
		bytes := 1 << m.IntN(21) * (8 + m.IntN(9)) / 8
		if i%20 == 0 {
			bytes = pick(m, []int{mebibyte, 8 * mebibyte, 8*mebibyte + 1, largest})
		}
		op, b := pick(m, w.writes()), m.hostileBodyOf(bytes)
		if b.json && op.free() {
			continue
		}
		r, took := w.assault(op, b)
		if !r.is(400, 2001) {
			t.Errorf("%s with %s of %d bytes = %d %s, want 400/2001", r.what, b.what, len(b.text), r.status, clip(r.body))
		}
		if took > bodyAnswer {
			t.Errorf("%s with %s of %d bytes took %v", r.what, b.what, len(b.text), took)
		}
		if len(b.text) <= 2*mebibyte {
			small = append(small, took)
		} else {
			large = append(large, took)
		}
	}
	t.Logf("R13: %d bodies refused; up to 2 MiB half of %d within %v, 99 %% within %v; half of %d larger ones within %v, all within %v", n,
		len(small), percentile(small, 50), percentile(small, 99), len(large), percentile(large, 50), percentile(large, 100))
	w.get("/company").has("data.revision", 3) // two departments, nothing else
}

// percentile is the time that so many of a hundred took at most, 0 of none.
func percentile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[(len(times)-1)*percent/100]
}

// assault sends a body over a connection of its own, and returns the answer and
// when it came, counted from the first byte. The service need not read what it
// refuses.
func (c *client) assault(op write, b hostileBody) (*reply, time.Duration) {
	c.t.Helper()
	u, err := url.Parse(c.s.URLs[int(c.turn.Add(1))%len(c.s.URLs)])
	if err != nil {
		c.t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(3 * bodyAnswer))
	head := fmt.Sprintf("%s %s%s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: application/json\r\n%s",
		op.method, api, op.path, u.Host, c.header.Get("Authorization"), b.header)
	begun := time.Now()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		b.send(conn.(*net.TCPConn), head)
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		c.t.Fatalf("%s %s with %s of %d bytes: %v", op.method, op.path, b.what, len(b.text), err)
	}
	text, err := io.ReadAll(resp.Body)
	took := time.Since(begun)
	if err != nil {
		c.t.Fatalf("%s %s: read the answer: %v", op.method, op.path, err)
	}
	conn.Close()
	<-sent
	r, _ := c.request(op.method, op.path, nil)
	a := &reply{t: c.t, what: op.method + " " + op.path, status: resp.StatusCode, header: resp.Header, body: text}
	for _, err := range a.check(c.s.document, r, nil, true) {
		c.t.Errorf("%s: %d %s: %v", a.what, a.status, clip(a.body), err)
	}
	return a, took
}

// send writes the request. An error means that the service did not wait for the
// rest of it.
func (b hostileBody) send(conn *net.TCPConn, head string) {
	switch b.announced {
	case chunked:
		fmt.Fprintf(conn, "%sTransfer-Encoding: chunked\r\n\r\n%x\r\n", head, len(b.text))
		io.WriteString(conn, b.text)
		io.WriteString(conn, "\r\n0\r\n\r\n")
	case ownChunks:
		fmt.Fprintf(conn, "%sTransfer-Encoding: chunked\r\n\r\n%s", head, b.text)
	default:
		fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n", head, b.announced)
		io.WriteString(conn, b.text)
	}
	if b.announced == ownChunks || b.announced > len(b.text) {
		conn.CloseWrite() // or the service would wait for what is missing
	}
}
