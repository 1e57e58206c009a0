// Package budget holds that no request costs more than it should. It fills a service
// with the worst that the bounds of the interface allow, calls every operation of the
// API description with every filter, eight at once, and reads from the system what the
// process of the service has used.
package budget

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sys/unix"

	"orgd"
	"orgd/adapters/jwtauth"
	"orgd/domain/page"
	"orgd/test/apitest"
	"orgd/test/process"
	"orgd/test/tokens"
)

const mongoVariable = "ORGD_TEST_MONGO_URI"

var (
	binary                string // the program, built once
	signingKey, cursorKey string // files
)

func TestMain(m *testing.M) {
	if runtime.GOOS != "linux" {
		fmt.Println("SKIPPED: only Linux tells what a process has used")
		return
	}
	if text := os.Getenv(greedyVariable); text != "" {
		os.Exit(greedy(text))
	}
	if file := os.Getenv(attackVariable); file != "" {
		os.Exit(attackers(file))
	}
	os.Exit(process.Main(m, func(dir string) (err error) {
		signingKey, cursorKey = filepath.Join(dir, "signing.key"), filepath.Join(dir, "cursor.key")
		secret := make([]byte, 32)
		rand.Read(secret) // never fails
		binary, err = process.Build(dir)
		return errors.Join(err, jwtauth.CreateKeyFile(signingKey),
			os.WriteFile(cursorKey, []byte(base64.StdEncoding.EncodeToString(secret)), 0o600))
	}))
}

// size is short, or long if ORGD_LONG=1.
func size[T any](short, long T) T {
	if os.Getenv("ORGD_LONG") == "1" {
		return long
	}
	return short
}

// collected has a process keep no garbage when it uses more than this. So the peak is
// what is held, and a request alone is not slowed down.
const collected = "GOMEMLIMIT=128MiB"

// service is the program on one storage, without limits but those that nobody can lift.
type service struct {
	*testing.T
	*process.Process
	env    []string // what its environment has besides
	flags  []string // of its storage
	limits []string // flags
	dir    string   // the data directory of the embedded store
	tokens []string // of administrators
	http   *http.Client
	base   int // bytes of memory at rest
}

// embedded is a service on a new data directory.
func embedded(t *testing.T) *service {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	s := newService(t, "--data-dir", dir)
	s.dir = dir
	return s
}

// onMongoDB is a service on a new database, which is dropped when the test ends.
func onMongoDB(t *testing.T) *service {
	t.Helper()
	uri, database := os.Getenv(mongoVariable), "orgd_test_"+bson.NewObjectID().Hex()
	if uri == "" {
		t.Skipf("SKIPPED: %s is not set; make mongo sets it, and starts what it names", mongoVariable)
	}
	t.Cleanup(func() {
		client, err := mongo.Connect(options.Client().ApplyURI(uri))
		if err != nil {
			t.Error(err)
			return
		}
		ctx := context.WithoutCancel(t.Context())
		if err := errors.Join(client.Database(database).Drop(ctx), client.Disconnect(ctx)); err != nil {
			t.Errorf("drop the database: %v", err)
		}
	})
	flags := append([]string{"--storage", "mongodb", "--mongo-uri", uri, "--mongo-database", database}, process.Patient()...)
	migrate := append([]string{"migrate"}, flags[:6]...)
	if _, err := process.Run(t.Context(), binary, append(migrate, process.PatientStorage()...)...); err != nil {
		t.Fatal(err)
	}
	return newService(t, flags...)
}

func newService(t *testing.T, flags ...string) *service {
	t.Helper()
	s := &service{T: t, env: []string{collected}, flags: flags, limits: []string{"--limits", "off"}, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 300, DisableCompression: true}}}
	for i := range documents {
		s.tokens = append(s.tokens, s.mint(fmt.Sprintf("root%d", i), "admin"))
	}
	s.start()
	t.Cleanup(s.stop)
	return s
}

// mint makes a token.
func (s *service) mint(subject, role string) string {
	s.Helper()
	cfg := orgd.Default()
	cfg.Storage, cfg.Auth.KeyFile = orgd.MongoDB, signingKey
	token, err := tokens.Minter(cfg)(apitest.Grant{Subject: subject, Role: role, TTL: 2 * time.Hour})
	if err != nil {
		s.Fatal(err)
	}
	return token
}

func (s *service) start() {
	s.Helper()
	p, err := process.Serve(context.WithoutCancel(s.Context()), binary, s.env, append(slices.Concat(s.flags, s.limits),
		"--signing-key-file", signingKey, "--cursor-key-file", cursorKey, "--webhook-allow-http", "--webhook-allow-private")...)
	if err != nil {
		s.Fatal(err)
	}
	s.Process = p
	if _, err := s.call(request{method: http.MethodGet, path: "/api/v1/auth/me"}, nil); err != nil {
		s.Fatal(err)
	}
	s.base = s.memory("VmRSS")
	s.rest()
}

// rest waits until the service has done what it does at its start, which is of no
// request.
func (s *service) rest() {
	s.Helper()
	const idle = 100 * time.Millisecond
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		before := s.used()
		time.Sleep(idle)
		if s.used()-before < idle/10 {
			return
		}
	}
	s.T.Log("the service does not come to rest") // it is measured all the same
}

// stop ends the service, which must not have logged an error but that the storage
// was slow: that is the machine.
func (s *service) stop() {
	s.Helper()
	s.http.CloseIdleConnections()
	if code, err := s.Terminate(); code != 0 || err != nil {
		s.Errorf("the service ended with %d, %v", code, err)
	}
	slow := func(line string) bool { return strings.Contains(line, `"code":"SERVICE_UNAVAILABLE"`) }
	if bad := slices.DeleteFunc(s.Errors(), slow); len(bad) > 0 {
		s.Errorf("the service logged %q", bad)
	}
}

// restart leaves nothing in memory of what was before.
func (s *service) restart() {
	s.Helper()
	s.stop()
	s.start()
}

// memory reads a line of what the system says of the process, in bytes: VmRSS is what
// it has, VmHWM the most that it has had.
func (s *service) memory(line string) int {
	s.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		s.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), line+":")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kib, err := strconv.Atoi(number)
	if err != nil {
		s.Fatal(err)
	}
	return kib << 10
}

// resetPeak lets VmHWM begin anew (proc_pid_clear_refs(5)).
func (s *service) resetPeak() {
	s.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.PID()), []byte("5"), 0); err != nil {
		s.Fatal(err)
	}
}

// used is the processor time of the process, exactly (clock_getcpuclockid(3)).
func (s *service) used() time.Duration {
	s.Helper()
	const sched = 2
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^s.PID()<<3|sched), &used); err != nil {
		s.Fatal(err)
	}
	return time.Duration(used.Nano())
}

// request is one request of an administrator, unless it has another token.
type request struct {
	method, path string
	body         []byte
	key          string // the Idempotency-Key, if not ""
	token        string
	stream       bool // an answer without an end, of which the beginning is read
	refusable    bool // it may be told that too much runs at once
}

// send sends a request and hands its answer over, which is closed afterwards.
func (s *service) send(ctx context.Context, r request, answered func(*http.Response) error) error {
	req, err := http.NewRequestWithContext(ctx, r.method, s.URL+r.path, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	if r.token == "" {
		r.token = s.tokens[0]
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return answered(resp)
}

// errAgain is the answer to a request whose turn has not come in time, or for which the storage
// was too slow.
var errAgain = errors.New("to be sent again")

// call sends a request and reads its answer, which is a success. begun is called with
// its first byte, if it is not nil. What comes too early for a slow machine is sent again.
func (s *service) call(r request, begun func()) (size int64, err error) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(page.MaxWait) {
		size, err = s.callOnce(r, begun)
		if !errors.Is(err, errAgain) || time.Now().After(deadline) {
			return size, err
		}
	}
}

func (s *service) callOnce(r request, begun func()) (size int64, err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
	defer cancel()
	err = s.send(ctx, r, func(resp *http.Response) error {
		if begun != nil {
			begun()
		}
		if resp.StatusCode >= 300 && !(r.refusable && resp.StatusCode == http.StatusTooManyRequests) {
			text, err := io.ReadAll(resp.Body)
			if r.method == http.MethodGet && strings.Contains(string(text), page.ErrLarge.Error()) || resp.StatusCode == http.StatusServiceUnavailable {
				err = errAgain
			}
			return errors.Join(fmt.Errorf("%d %.500s", resp.StatusCode, text), err)
		}
		if r.stream {
			// What has waited comes at once; if nothing has, nothing comes.
			defer time.AfterFunc(100*time.Millisecond, cancel).Stop()
			size, err = io.CopyN(io.Discard, resp.Body, 1<<20)
			if ctx.Err() != nil {
				err = nil
			}
			return err
		}
		size, err = io.Copy(io.Discard, resp.Body)
		return err
	})
	return size, err
}

// must sends a request that succeeds, and reads its answer into a value, if that is
// not nil.
func (s *service) must(method, path string, body, answer any) {
	s.Helper()
	r := request{method: method, path: "/api/v1" + path}
	if body != nil {
		r.body = encode(s.T, body)
	}
	s.mustSend(r, answer)
}

// mustSend is [service.must] of a request that is made already.
func (s *service) mustSend(r request, answer any) {
	s.Helper()
	err := s.send(s.Context(), r, func(resp *http.Response) error {
		text, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode >= 300 {
			err = fmt.Errorf("%d %.500s", resp.StatusCode, text)
		}
		if err != nil || answer == nil {
			return err
		}
		return json.Unmarshal(text, answer)
	})
	if err != nil {
		s.Fatalf("%s %.200s: %v", r.method, r.path, err)
	}
}

// encode is JSON in which no character is escaped that need not be.
func encode(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
