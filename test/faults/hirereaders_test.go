package faults

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
)

// hireFollower follows the events of hires through one replica. When a stream
// ends, it goes on behind the last event.
type hireFollower struct {
	t      *testing.T
	client *api.Client

	mu  sync.Mutex
	ids []string
}

// startHireFollower follows until the test ends. It returns when the stream is open.
func startHireFollower(t *testing.T, client *api.Client) *hireFollower {
	t.Helper()
	f := &hireFollower{t: t, client: client}
	ctx, stop := context.WithCancel(context.Background())
	var following sync.WaitGroup
	t.Cleanup(func() {
		stop()
		following.Wait()
	})
	events, err := client.Follow(ctx, streamPath, "")
	if err != nil {
		t.Fatal(err)
	}
	begin, err := events.Next() // says where the stream begins
	if err != nil {
		t.Fatal(err)
	}
	following.Go(func() {
		last := f.read(events, begin.ID)
		for ctx.Err() == nil {
			if events, err := client.Follow(ctx, streamPath, last); err == nil {
				last = f.read(events, last)
			}
			time.Sleep(readyPoll)
		}
	})
	return f
}

// read reads a stream to its end and returns the id to go on behind.
func (f *hireFollower) read(events *api.Events, last string) string {
	defer events.Close() // nothing was written that it could lose
	for {
		e, err := events.Next()
		if err != nil {
			return last
		}
		last = e.ID
		if e.Type == "resync" {
			f.t.Error("a stream has sent resync, so events were missed")
		}
		if e.Data != "" && e.Type != "resync" {
			f.note(e.Data)
		}
	}
}

// note keeps the id of an event if it is about a hire.
func (f *hireFollower) note(data string) {
	var v eventView
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		f.t.Errorf("event %.200q: %v", data, err)
	}
	if v.Type == "hired" {
		f.mu.Lock()
		f.ids = append(f.ids, v.ID)
		f.mu.Unlock()
	}
}

// received returns the ids in their order.
func (f *hireFollower) received() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ids)
}

// hireReceiver is a webhook that receives the events of hires, each at least once.
type hireReceiver struct {
	t  *testing.T
	mu sync.Mutex

	ids map[string]bool
}

// startHireReceiver registers a webhook that receives until the test ends.
func startHireReceiver(t *testing.T, admin *api.Client) *hireReceiver {
	t.Helper()
	r := &hireReceiver{t: t, ids: map[string]bool{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	must(t, admin, api.Request{Method: http.MethodPost, Path: "/webhooks", Body: object{"url": server.URL, "event_types": []string{"hired"}}}, nil)
	return r
}

func (r *hireReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var v eventView
	if err := json.NewDecoder(req.Body).Decode(&v); err != nil {
		r.t.Errorf("the webhook was sent no event: %v", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids[v.ID] = true
	w.WriteHeader(http.StatusNoContent)
}

// received returns the ids.
func (r *hireReceiver) received() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.ids)
}
