package webhooks

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"orgd/adapters/system"
	"orgd/test/api"
	"orgd/test/process"
	"orgd/test/seed"
)

// service is the program on a directory, and who asks it.
type service struct {
	*process.Process
	t          *testing.T
	dir, token string
	client     *api.Client
}

func serve(t *testing.T) *service {
	t.Helper()
	s := &service{t: t, dir: filepath.Join(t.TempDir(), "data")}
	var err error
	if s.token, err = process.Token(t.Context(), binary, s.dir, "hooks"); err != nil {
		t.Fatal(err)
	}
	s.start()
	t.Cleanup(func() {
		s.Kill()
		s.client.Close()
		if t.Failed() {
			t.Logf("end of the log:\n%s", s.Log())
		}
	})
	return s
}

func (s *service) start() {
	s.t.Helper()
	s.startWith("--webhook-allow-http", "--webhook-allow-private")
}

func (s *service) startWith(flags ...string) {
	s.t.Helper()
	p, err := process.Start(s.t.Context(), binary, s.dir, flags...)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.client != nil {
		s.client.Close()
	}
	s.Process, s.client = p, api.New(p.URL, s.token, 4)
}

// post asks until there is an answer, which must be a success.
func (s *service) post(path string, body, data any) {
	s.t.Helper()
	a, err := s.client.Do(s.t.Context(), api.Request{Method: http.MethodPost, Path: path, Body: body})
	if err == nil && !a.OK() {
		err = a.Err()
	}
	if err == nil && data != nil {
		err = a.Data(data)
	}
	if err != nil {
		s.t.Fatalf("POST %s: %v", path, err)
	}
}

type object = map[string]any

// staff makes a webhook that wants reported events, and an agent that reports.
func (s *service) staff(url string) (webhookID string) {
	s.t.Helper()
	var made struct{ ID string }
	s.post("/webhooks", object{"url": url, "event_types": []string{"tool_used"}}, &made)
	s.post("/departments", object{"name": "Ops"}, nil)
	s.post("/agents", object{"name": "Ann", "role": "worker", "department": "Ops"}, nil)
	return made.ID
}

// batch is a body that reports n events, and their ids.
func batch(n int) (object, []string) {
	var events []object
	var ids []string
	for range n {
		id := system.IDs{}.NewID()
		ids = append(ids, id)
		events = append(events, object{"id": id, "event_type": "tool_used", "agent": "Ann", "data": object{"tool": "x", "success": true}})
	}
	return object{"events": events}, ids
}

func eventually(t *testing.T, within time.Duration, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen within %v", what, within)
		}
	}
}

// The program is killed again and again while it delivers. Every event that it
// has taken in arrives, at least once.
func TestKilledWhileDelivering(t *testing.T) {
	t.Parallel()
	rng := seed.Rand(t)
	kills := 8
	if os.Getenv("ORGD_LONG") == "1" {
		kills = 200
	}
	var messages atomic.Int64
	rec := receive(t, func(string) int {
		time.Sleep(time.Duration(messages.Add(1)%10) * time.Millisecond)
		return 200
	})
	s := serve(t)
	hook := s.staff(rec.URL)
	var all []string
	for range kills {
		body, ids := batch(25)
		all = append(all, ids...)
		victim, after := s.Process, time.Duration(rng.IntN(300))*time.Millisecond
		go func() {
			time.Sleep(after)
			victim.Kill()
		}()
		a, err := s.client.Do(t.Context(), api.Request{Method: http.MethodPost, Path: "/activities", Body: body})
		<-victim.Ended()
		s.start()
		if err != nil { // killed before it answered: the same is reported again
			s.post("/activities", body, nil)
		} else if !a.OK() {
			t.Fatalf("POST /activities: %v", a.Err())
		}
	}
	eventually(t, 2*time.Minute, "the arrival of every event", func() bool {
		got := rec.got()
		return !slices.ContainsFunc(all, func(id string) bool { return got[id] == 0 })
	})
	eventually(t, time.Minute, "the end of every delivery", func() bool {
		deliveries, err := api.All[struct{ Status string }](t.Context(), s.client, "/webhooks/"+hook+"/deliveries", nil)
		if err != nil {
			t.Fatal(err)
		}
		done := slices.DeleteFunc(slices.Clone(deliveries), func(d struct{ Status string }) bool { return d.Status != "delivered" })
		return len(deliveries) == len(all) && len(done) == len(all)
	})
	again := 0
	for n := range maps.Values(rec.got()) {
		again += n - 1
	}
	t.Logf("%d events, %d kills, %d messages came more than once", len(all), kills, again)
}

// A webhook that was made where private addresses are allowed gets its messages also
// from a process that does not allow them, which makes no such webhook itself.
func TestAllowedWhereverItIsSentFrom(t *testing.T) {
	t.Parallel()
	rec := receive(t, func(string) int { return 200 })
	s := serve(t)
	hook := s.staff(rec.URL)
	s.Kill()
	s.startWith()
	body, ids := batch(3)
	s.post("/activities", body, nil)
	eventually(t, time.Minute, "the arrival of every event", func() bool {
		got := rec.got()
		return !slices.ContainsFunc(ids, func(id string) bool { return got[id] == 0 })
	})
	for method, path := range map[string]string{http.MethodPost: "/webhooks", http.MethodPatch: "/webhooks/" + hook} {
		a, err := s.client.Do(t.Context(), api.Request{Method: method, Path: path, Body: object{"url": rec.URL}})
		if err != nil || a.Status != http.StatusBadRequest {
			t.Errorf("%s %s = %v, %v, want it refused", method, path, a, err)
		}
	}
}

// The program is asked to end while a message is on its way. It waits for the
// answer, and the message does not come again.
func TestTerminatedWhileDelivering(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	rec := receive(t, func(string) int {
		arrived <- struct{}{}
		time.Sleep(time.Second)
		return 200
	})
	s := serve(t)
	hook := s.staff(rec.URL)
	body, ids := batch(1)
	s.post("/activities", body, nil)
	<-arrived
	s.terminate()
	s.start()
	var deliveries []struct {
		Status  string
		Attempt int
	}
	if _, err := s.client.Get(t.Context(), "/webhooks/"+hook+"/deliveries", &deliveries); err != nil {
		t.Fatal(err)
	}
	if len(deliveries) != 1 || deliveries[0].Status != "delivered" || rec.got()[ids[0]] != 1 {
		t.Errorf("the deliveries are %+v after %d messages, want one, delivered", deliveries, rec.got()[ids[0]])
	}
}

// A receiver that does not answer does not keep the program from ending. Its
// message comes again as soon as the program is back.
func TestTerminatedWhileWaiting(t *testing.T) {
	t.Parallel()
	quit := make(chan struct{})
	arrived := make(chan struct{}, 10)
	rec := receive(t, func(string) int {
		arrived <- struct{}{}
		<-quit
		return 200
	})
	s := serve(t)
	s.staff(rec.URL)
	body, ids := batch(1)
	s.post("/activities", body, nil)
	<-arrived
	begun := time.Now()
	s.terminate()
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("the program took %v to end, want about 5 s", took)
	}
	close(quit)
	s.start()
	eventually(t, 30*time.Second, "the message after the restart", func() bool { return rec.got()[ids[0]] > 0 })
}

func (s *service) terminate() {
	s.t.Helper()
	if code, err := s.Terminate(); code != 0 || err != nil {
		s.t.Errorf("Terminate = %d, %v, want 0 and no error\n%s", code, err, s.Log())
	}
	if lines := s.Errors(); len(lines) > 0 {
		s.t.Errorf("the service logged errors:\n%s", strings.Join(lines, "\n"))
	}
}

// Secrets are in no line of the log, whatever happens.
func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	rec := receive(t, always(500))
	s := serve(t)
	var made struct{ ID, Secret string }
	s.post("/webhooks", object{"url": rec.URL + "/canary"}, &made)
	s.post(fmt.Sprintf("/webhooks/%s/rotate-secret", made.ID), nil, &made)
	s.post(fmt.Sprintf("/webhooks/%s/test", made.ID), nil, nil)
	eventually(t, 30*time.Second, "the test", func() bool { return len(rec.got()) == 1 })
	s.terminate()
	if log := s.Log(); log == "" || strings.Contains(log, "whsec_") || strings.Contains(log, strings.TrimPrefix(made.Secret, "whsec_")) || strings.Contains(log, "canary") {
		t.Errorf("the log holds a secret or a URL:\n%s", log)
	}
}
