package budget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
)

// long skips a test that takes minutes.
func long(t *testing.T) {
	t.Helper()
	if size(true, false) {
		t.Skip("is for the long form alone (ORGD_LONG=1)")
	}
}

// within wants the process not to have had more memory than it keeps and some more.
func (s *service) within(line string, most int) {
	s.Helper()
	got := s.memory(line)
	s.Logf("budget: %s: %d MiB at rest, %s %d MiB, at most %d are right", s.Name(), s.base>>20, line, got>>20, (s.base+most)>>20)
	if got > s.base+most {
		s.Errorf("%s is %d MiB, want at most %d more than the %d at rest", line, got>>20, most>>20, s.base>>20)
	}
}

// halting is a body that repeats a text, stops, and waits there.
type halting struct {
	ctx     context.Context
	text    string
	left    int
	stopped func()
}

// Read implements io.Reader.
func (h *halting) Read(b []byte) (int, error) {
	if h.left <= 0 {
		h.stopped()
		<-h.ctx.Done()
		return 0, h.ctx.Err()
	}
	n := copy(b, h.text[h.left%len(h.text):])
	h.left -= n
	return n, nil
}

// TestPlanThatStops sends as many plans at once as a process deals with, which stop in
// the middle and are cut after a while.
func TestPlanThatStops(t *testing.T) {
	long(t)
	t.Setenv("TMPDIR", t.TempDir())
	s := embedded(t)
	ctx, cut := context.WithCancel(t.Context())
	defer cut()
	var stopped, all sync.WaitGroup
	stopped.Add(documents)
	s.resetPeak()
	for i := range documents {
		all.Go(func() {
			body := &halting{ctx: ctx, text: strings.Repeat(" ", 1000) + `{"format":1,`, left: 128 << 20, stopped: stopped.Done}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/organization/plan", body)
			if err != nil {
				t.Error(err)
				stopped.Done()
				return
			}
			req.Header.Set("Authorization", "Bearer "+s.tokens[i])
			req.Header.Set("Content-Type", "application/json")
			resp, err := s.http.Do(req)
			if err == nil {
				err = errors.Join(fmt.Errorf("answer %s", resp.Status), resp.Body.Close())
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a plan that is not complete: %v", err)
				if body.left > 0 {
					stopped.Done()
				}
			}
		})
	}
	stopped.Wait()
	time.Sleep(2 * time.Second)
	if n := s.spools(); n != documents {
		t.Errorf("%d temporary files are open, want %d", n, documents)
	}
	cut()
	all.Wait()
	for deadline := time.Now().Add(5 * time.Second); s.spools() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d temporary files are left", s.spools())
		}
	}
	s.within("VmHWM", kept+documents*maxDocumentMemory)
	s.must("POST", "/organization/plan", object{"format": 1, "departments": []object{{"name": "a"}}, "agents": []object{}}, nil)
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "orgd-spool-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files %v are left, %v", left, err)
	}
}

// spools is how many temporary files of bodies the process has open.
func (s *service) spools() (n int) {
	s.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.PID()))
	if err != nil || len(files) == 0 {
		s.Fatalf("the open files: %v, %v", files, err)
	}
	for _, file := range files {
		name, err := os.Readlink(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have been closed meanwhile
			s.Fatal(err)
		}
		if strings.Contains(name, "orgd-spool-") {
			n++
		}
	}
	return n
}

const (
	reorders = 100
	maxReply = 256 << 10 // of an answer that is kept
	maxMany  = 64 << 20  // that many small things take together
)

// reply is what is looked at of an answer.
type reply struct {
	status, size int
	code         int // of an error
}

func (s *service) reply(r request) (got reply, err error) {
	err = s.send(s.Context(), r, func(resp *http.Response) error {
		text, err := io.ReadAll(resp.Body)
		if resp.StatusCode >= 300 {
			var body struct {
				Detail struct {
					Code int `json:"error_code"`
				} `json:"error_detail"`
			}
			err = errors.Join(err, json.Unmarshal(text, &body))
			got.code = body.Detail.Code
		}
		got.status, got.size = resp.StatusCode, len(text)
		return err
	})
	return got, err
}

// TestReplays sends large reorders, and then all of them again at once.
func TestReplays(t *testing.T) {
	long(t)
	w := fill(embedded(t))
	requests := make([]request, reorders)
	for i := range requests {
		op, path := operation{id: "departments.reorder_agents"}, "/api/v1/departments/"+restName+"/reorder-agents"
		if i%4 > 1 {
			op.id, path = "company.reorder_departments", "/api/v1/company/reorder-departments"
		}
		requests[i] = request{method: http.MethodPost, path: path, body: encode(t, w.body(op, i)), token: w.tokens[i%len(w.tokens)]}
	}
	// What they take without keys is taken by reorders, not by records of them.
	begin := w.disk()
	for _, r := range requests {
		w.reorder(r)
	}
	without := w.disk()
	for i := range requests {
		requests[i].key = fmt.Sprint("reorder", i)
		w.reorder(requests[i])
	}
	with := w.disk()
	records := (with - without) - (without - begin)
	t.Logf("budget: %d reorders took %d KiB of the disk without keys, %d more with", reorders, (without-begin)>>10, records>>10)
	if records > reorders*maxReply {
		t.Errorf("%d records take %d bytes, want at most %d", reorders, records, reorders*maxReply)
	}
	before := w.revisions()
	again, problems := make([]reply, reorders), make([]error, reorders)
	var all sync.WaitGroup
	w.resetPeak()
	for i, r := range requests {
		all.Go(func() { again[i], problems[i] = w.reply(r) })
	}
	all.Wait()
	w.within("VmHWM", kept+maxMany)
	if err := errors.Join(problems...); err != nil {
		t.Error(err)
	}
	for i, got := range again {
		if got.status != http.StatusConflict || got.code != 4000 {
			t.Errorf("replay %d = %+v, want 409 with code 4000", i, got)
		}
	}
	if got := w.revisions(); got != before {
		t.Errorf("after replays there are %s, want %s", got, before)
	}
}

// reorder sends one that succeeds, and has an answer that is too long to be kept.
func (w *world) reorder(r request) {
	w.Helper()
	if got, err := w.reply(r); err != nil || got.status >= 300 || got.size <= maxReply {
		w.Fatalf("%s = %+v, %v", r.path, got, err)
	}
}

// tagged is an entity tag up to the revision. What follows is of what a reader is shown.
var tagged = regexp.MustCompile(`^"[^.]+\.\d+`)

// revisions are those of what is reordered.
func (w *world) revisions() (all string) {
	w.Helper()
	for _, path := range []string{"/company", "/departments/" + restName} {
		if err := w.send(w.Context(), request{method: http.MethodGet, path: "/api/v1" + path}, func(resp *http.Response) error {
			all += tagged.FindString(resp.Header.Get("ETag")) + " "
			return nil
		}); err != nil {
			w.Fatal(err)
		}
	}
	return all
}

// disk is how much of it the service takes when it does not run, in bytes. It is
// started again.
func (w *world) disk() (size int) {
	w.Helper()
	w.stop()
	defer w.start()
	if err := filepath.WalkDir(w.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += int(info.Size())
		}
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return size
}

const (
	followers  = 4
	eventEvery = time.Second / 50
	events     = int(time.Minute / eventEvery)
)

// TestSlowStream has a client follow the stream that takes a byte a second, while many
// events come and others follow them.
func TestSlowStream(t *testing.T) {
	long(t)
	s := embedded(t)
	s.must("POST", "/organization/apply", object{"format": 1, "departments": []object{{"name": "a"}}, "agents": []object{{"name": "a", "role": "r", "department": "a"}}}, nil)
	stream := request{method: http.MethodGet, path: "/api/v1/activities/stream?type=task_completed"}
	slow := s.slowly(stream.path)
	var ready, all sync.WaitGroup
	ready.Add(followers)
	for i := range followers {
		r := stream
		r.token = s.tokens[i]
		all.Go(func() {
			if err := s.send(t.Context(), r, func(resp *http.Response) error {
				ready.Done()
				return inOrder(api.NewEvents(resp.Body), events)
			}); err != nil {
				t.Errorf("a stream that is read: %v", err)
			}
		})
	}
	ready.Wait()
	s.resetPeak()
	begin, filler := time.Now(), strings.Repeat("x", 16<<10-100)
	for i := range events {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * eventEvery)))
		s.must("POST", "/activities", object{"events": []object{{
			"event_type": "task_completed", "agent": "a", "data": object{"task_id": fmt.Sprint(i), "success": true, "x": filler},
		}}}, nil)
	}
	all.Wait()
	s.within("VmHWM", kept+maxMany)
	for deadline := time.Now().Add(5 * time.Second); s.following() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the stream that is not read goes on, want its end")
		}
	}
	t.Logf("budget: %d events in %v; the slow client had %d bytes", events, time.Since(begin).Round(time.Second), slow())
}

// inOrder wants the events of tasks 0 to n-1.
func inOrder(stream *api.Events, n int) error {
	for i := 0; i < n; {
		block, err := stream.Next()
		if err != nil {
			return fmt.Errorf("event %d: %w", i, err)
		}
		if block.Data == "" {
			continue
		}
		var event struct {
			Data struct {
				Task string `json:"task_id"`
			}
		}
		if err := json.Unmarshal([]byte(block.Data), &event); err != nil {
			return err
		}
		if event.Data.Task != fmt.Sprint(i) {
			return fmt.Errorf("event %d is of task %q", i, event.Data.Task)
		}
		i++
	}
	return nil
}

var subscribers = regexp.MustCompile(`(?m)^orgd_stream_subscribers (\d+)$`)

// following is how many streams the service has.
func (s *service) following() (n int) {
	s.Helper()
	err := s.send(s.Context(), request{method: http.MethodGet, path: "/api/v1/metrics"}, func(resp *http.Response) error {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		found := subscribers.FindSubmatch(text)
		if found == nil {
			return fmt.Errorf("no metric in %.500s", text)
		}
		n, err = strconv.Atoi(string(found[1]))
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// slowly asks for a stream and reads a byte a second, until the function that it returns
// is called, which returns how many bytes that were. What the service has sent may wait
// in the system for long after the stream has ended.
func (s *service) slowly(path string) (end func() int) {
	s.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err == nil {
		err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	}
	if err == nil {
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: orgd\r\nAuthorization: Bearer %s\r\n\r\n", path, s.tokens[0])
	}
	if err != nil {
		s.Fatal(err)
	}
	stop, read := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		defer func() { read <- n }()
		for one := make([]byte, 1); ; n++ {
			if _, err := conn.Read(one); err != nil {
				s.Errorf("the stream that is not read: %v", err) // there is more to be read
				return
			}
			select {
			case <-time.After(time.Second):
			case <-stop:
				return
			}
		}
	}()
	return func() int {
		close(stop)
		defer conn.Close()
		return <-read
	}
}

// TestGenerated has requests made from the API description about the worst state.
func TestGenerated(t *testing.T) {
	long(t)
	w := fill(embedded(t))
	w.restart()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-count=1", "-run", "^TestFilledService$", "orgd/test/fuzz")
	cmd.Env = append(os.Environ(), "ORGD_TEST_FILLED_URL="+w.URL, "ORGD_TEST_FILLED_TOKEN="+w.tokens[0])
	out, err := cmd.CombinedOutput()
	for _, line := range regexp.MustCompile("R12: .*").FindAll(out, -1) {
		t.Logf("budget: %s", line)
	}
	if err != nil {
		t.Errorf("%v\n%.20000s", err, out)
	}
	time.Sleep(20 * time.Second) // Go gives memory back slowly
	w.within("VmRSS", kept+maxDocumentMemory)
}
