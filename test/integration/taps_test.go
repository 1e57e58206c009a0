package integration

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	encoding "encoding/binary" // the package has a variable binary
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// tap is the way of a program to a server. What the program asks passes a meter
// before the server sees it, so that whoever has an answer finds everything
// counted that it was made from.
type tap struct {
	meter
	target string
	// next reads what comes next from the program, and names it for the meter;
	// "" is not counted.
	next func(*bufio.Reader) (text []byte, name string, err error)

	listener net.Listener
	life     context.Context // ends when the tap is closed
	end      context.CancelFunc
	running  sync.WaitGroup
}

// openTap opens a way to the server at target, HOST:PORT, until the test ends.
func openTap(t *testing.T, target string, next func(*bufio.Reader) ([]byte, string, error)) *tap {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{target: target, next: next, listener: l}
	p.life, p.end = context.WithCancel(context.Background())
	p.running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // closed
			}
			p.running.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		p.end()
		l.Close() // fails only if it is closed already
		p.running.Wait()
	})
	return p
}

func (p *tap) addr() string { return p.listener.Addr().String() }

// serve carries what both sides say until one of them is gone.
func (p *tap) serve(client net.Conn) {
	life, end := context.WithCancel(p.life)
	defer end()
	defer client.Close()
	var d net.Dialer
	server, err := d.DialContext(life, "tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	defer context.AfterFunc(life, func() { client.Close(); server.Close() })()
	p.running.Go(func() {
		defer end()
		_, _ = io.Copy(client, server) // ends with the connection, however that ends
	})
	for r := bufio.NewReaderSize(client, 64<<10); ; {
		text, name, err := p.next(r)
		if err != nil {
			return
		}
		if name != "" {
			p.pass(life, name)
		}
		if _, err := server.Write(text); err != nil {
			return
		}
	}
}

// unbounded lets everything pass.
const unbounded = math.MaxInt

// meter notes what is asked, and holds back what is more than may pass.
type meter struct {
	mu    sync.Mutex
	asked []string
	most  int           // of asked that pass; the zero value, without open, lets all pass
	open  chan struct{} // closed when the rest may pass too
	held  chan struct{} // has an element once something was held back
}

// begin forgets what was asked before, and lets so much pass from now on.
func (m *meter) begin(most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked, m.most, m.open, m.held = nil, most, make(chan struct{}), make(chan struct{}, 1)
}

// release lets everything pass, and goes on noting it.
func (m *meter) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open != nil {
		close(m.open)
		m.open = nil
	}
}

// noted is what was asked since begin.
func (m *meter) noted() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// pass notes something, and returns when it may go on.
func (m *meter) pass(life context.Context, name string) {
	open := m.note(name)
	if open == nil {
		return
	}
	select {
	case <-open:
	case <-life.Done():
	}
}

// note returns what to wait for, or nil.
func (m *meter) note(name string) (open chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, name)
	if m.open == nil || len(m.asked) <= m.most {
		return nil
	}
	select {
	case m.held <- struct{}{}:
	default:
	}
	return m.open
}

// patience is how long an answer may take that has all that it needs.
const patience = 9 * time.Second

// during does something while only so much may be asked, and returns what was
// asked until it was done. It reports false if that was not enough: then the rest
// was let through at last.
func (m *meter) during(most int, do func()) (asked []string, enough bool) {
	m.begin(most)
	defer m.release()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-m.held:
		select {
		case <-done:
		case <-time.After(patience):
			m.release()
			<-done
			return m.noted(), false
		}
	}
	asked = m.noted()
	return asked[:min(most, len(asked))], true // the rest only follows
}

// Of MongoDB's protocol.
const (
	mongoHeader  = 16 // length, number, number of what is answered, kind
	mongoMessage = 2013
	mongoQuery   = 2004 // a greeting from before messages
	maxMongo     = 48 << 20
)

// aboutConnections are the commands of MongoDB that drivers send by themselves.
var aboutConnections = []string{"hello", "isMaster", "ismaster", "saslStart", "saslContinue", "endSessions"}

// nextMongo reads a message to MongoDB. Its name is that of the command and of
// the collection.
func nextMongo(r *bufio.Reader) (text []byte, name string, err error) {
	head, err := r.Peek(mongoHeader)
	if err != nil {
		return nil, "", err
	}
	n := encoding.LittleEndian.Uint32(head)
	if n < mongoHeader || n > maxMongo {
		return nil, "", fmt.Errorf("a message of %d bytes", n)
	}
	text = make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, "", err
	}
	switch kind := encoding.LittleEndian.Uint32(text[12:]); kind {
	case mongoQuery:
		return text, "", nil
	case mongoMessage:
		name, err := mongoCommand(text[mongoHeader:])
		return text, name, err
	default: // such as a compressed one, which nobody has asked for
		return nil, "", fmt.Errorf("a message of kind %d", kind)
	}
}

// mongoCommand names the command in a message, "" for one about the connection.
// The message is four bytes of flags, and the command in a section of kind 0.
func mongoCommand(message []byte) (string, error) {
	if len(message) < 5 || message[4] != 0 {
		return "", errors.New("a message that does not begin with its command")
	}
	length := int(encoding.LittleEndian.Uint32(message[5:]))
	if length > len(message)-5 {
		return "", errors.New("a message that is cut off")
	}
	first, err := bson.Raw(message[5 : 5+length]).IndexErr(0)
	if err != nil {
		return "", err
	}
	if slices.Contains(aboutConnections, first.Key()) {
		return "", nil
	}
	coll, _ := first.Value().StringValueOK()
	if coll == "replicas" { // which no request waits for
		return "", nil
	}
	return strings.TrimSpace(first.Key() + " " + coll), nil
}

// besideRequests are the commands of Redis that no request waits for: those about
// connections, news between replicas, and slots that are given back.
var besideRequests = []string{"hello", "client", "auth", "select", "ping", "subscribe", "unsubscribe", "publish", "zrem"}

// renewalFile is the script that the limiter renews slots with, now and then while
// a request has one.
const renewalFile = "../../adapters/redislimit/scripts/renew.lua"

// redisReader knows what is sent to Redis for requests from what is sent beside
// them.
type redisReader struct{ renewal []string } // the script, by which a command names it

func newRedisReader(t *testing.T) redisReader {
	t.Helper()
	text, err := os.ReadFile(renewalFile)
	if err != nil {
		t.Fatal(err)
	}
	return redisReader{[]string{fmt.Sprintf("%x", sha1.Sum(text)), string(text)}}
}

// next reads what is sent at once, however many commands that is: it costs one
// round trip. Its name is that of the commands; "" if none of them is there for a
// request.
func (r redisReader) next(from *bufio.Reader) (text []byte, name string, err error) {
	var names []string
	var all bytes.Buffer
	for all.Len() == 0 || from.Buffered() > 0 {
		words, err := redisCommand(from, &all)
		if err != nil {
			return nil, "", err
		}
		if !r.isBeside(words) {
			names = append(names, strings.ToLower(words[0]))
		}
	}
	return all.Bytes(), strings.Join(names, "+"), nil
}

// isBeside reports whether no request waits for a command. The limiter asks whether
// Redis is still there by counting in a window of its own, called probe.
func (r redisReader) isBeside(words []string) bool {
	return slices.Contains(besideRequests, strings.ToLower(words[0])) ||
		len(words) > 1 && slices.Contains(r.renewal, words[1]) ||
		slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(w, ":probe") })
}

// redisCommand reads a command, an array of strings with their lengths, and
// copies it to all.
func redisCommand(r *bufio.Reader, all *bytes.Buffer) ([]string, error) {
	n, err := redisNumber(r, all, '*')
	if err == nil && n < 1 {
		err = errors.New("an empty command")
	}
	var words []string
	for range n {
		length, err := redisNumber(r, all, '$')
		if err != nil {
			return nil, err
		}
		word := make([]byte, length+len("\r\n"))
		if _, err := io.ReadFull(r, word); err != nil {
			return nil, err
		}
		all.Write(word)
		words = append(words, string(word[:length]))
	}
	return words, err
}

// maxRedis bounds what a command says of its size.
const maxRedis = 1 << 20

func redisNumber(r *bufio.Reader, all *bytes.Buffer, kind byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	all.WriteString(line)
	if line[0] != kind {
		return 0, fmt.Errorf("%q, want a line that begins with %c", line, kind)
	}
	n, err := strconv.Atoi(strings.TrimSpace(line[1:]))
	if err != nil || n < 0 || n > maxRedis {
		return 0, fmt.Errorf("%q has no size", line)
	}
	return n, nil
}
