package client_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

// gate is a transport that can be closed, and counts what goes through and what has not
// changed.
type gate struct {
	via                  http.RoundTripper
	closed               atomic.Bool
	requests, unmodified atomic.Int64
}

func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.closed.Load() {
		return nil, errors.New("closed")
	}
	g.requests.Add(1)
	res, err := g.via.RoundTrip(r)
	if err == nil && res.StatusCode == http.StatusNotModified {
		g.unmodified.Add(1)
	}
	return res, err
}

// resolves asks and checks the state and the version, 0 for none.
func resolves(t *testing.T, r *client.Resolver, want client.ResolveState, version int64) client.Resolution {
	t.Helper()
	got := r.Resolve(t.Context())
	var have int64
	if got.Agent != nil {
		have = got.Agent.Version
	}
	fresh := want == client.ResolvedActive || want == client.ResolvedInactive
	if got.State != want || have != version || (got.Err == nil) != fresh || got.FileErr != nil || r.Last() != got.Agent {
		t.Errorf("Resolve = %+v (version %d), want %s and version %d", got, have, want, version)
	}
	return got
}

// A resolver tells apart what may become of an agent and its label, and has the last known
// answer in all of it.
func TestResolver(t *testing.T) {
	s := serve(t)
	editor, ctx := s.as(t, client.RoleEditor), t.Context()
	g := &gate{}
	viewer := s.as(t, client.RoleViewer, func(via http.RoundTripper) http.RoundTripper { g.via = via; return g })
	file := filepath.Join(t.TempDir(), "ada.json")
	r := must1(viewer.Resolver("Ada", "production", file))(t)
	resolves(t, r, client.ResolvedNoAgent, 0)
	must1(editor.CreateDepartment(ctx, client.DepartmentInput{Name: "Engineering"}))(t)
	must1(editor.CreateAgent(ctx, ada()))(t)
	resolves(t, r, client.ResolvedNoLabel, 0)
	must1(editor.SetLabel(ctx, "Ada", "production", client.LabelInput{Version: 1}))(t)
	resolves(t, r, client.ResolvedInactive, 1) // onboarding
	must1(editor.PatchAgent(ctx, "Ada", client.Object{"status": "active", "instructions": "not live"}))(t)
	first := resolves(t, r, client.ResolvedActive, 1)

	must1(editor.PatchAgent(ctx, "Ada", client.Object{"instructions": "nor this"}))(t)
	if again := resolves(t, r, client.ResolvedActive, 1); again.Agent != first.Agent || g.unmodified.Load() != 1 {
		t.Errorf("a version that the label does not name: %d answers of 304, want 1", g.unmodified.Load())
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file = %v, %v, want mode 0600", info.Mode(), err)
	}

	g.closed.Store(true)
	resolves(t, r, client.ResolvedDown, 1)
	restarted := must1(viewer.Resolver("Ada", "production", file))(t)
	if diff := cmp.Diff(first.Agent, restarted.Last()); diff != "" {
		t.Errorf("the file has another answer (-want +got):\n%s", diff)
	}
	resolves(t, restarted, client.ResolvedDown, 1)
	g.closed.Store(false)
	resolves(t, restarted, client.ResolvedActive, 1)
	if g.unmodified.Load() != 2 {
		t.Errorf("after a restart there are %d answers of 304, want 2", g.unmodified.Load())
	}

	must1(editor.SetLabel(ctx, "Ada", "production", client.LabelInput{Version: 2}))(t)
	resolves(t, restarted, client.ResolvedActive, 2)
	must1(editor.PatchAgent(ctx, "Ada", client.Object{"status": "on_leave"}))(t)
	resolves(t, restarted, client.ResolvedInactive, 2)
	if err := editor.RemoveLabel(ctx, "Ada", "production"); err != nil {
		t.Fatal(err)
	}
	resolves(t, restarted, client.ResolvedNoLabel, 2)
	if err := editor.DeleteAgent(ctx, "Ada"); err != nil {
		t.Fatal(err)
	}
	resolves(t, restarted, client.ResolvedNoAgent, 2)
}

const resolved = `{"agent_id":"i","name":"Ada","department":"D","status":"active","label":"production","version":7,"content_hash":"h","snapshot":{}}`

// Each answer that is no success has its state, and the last known answer stays.
func TestResolverStates(t *testing.T) {
	for name, tt := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		want   client.ResolveState
	}{
		"token":                {failure(1000, 0), client.ResolvedRefused},
		"session":              {failure(1002, 0), client.ResolvedRefused},
		"role":                 {failure(1001, 0), client.ResolvedRefused},
		"wrong label":          {failure(2001, 0), client.ResolvedRefused},
		"older service":        {failure(3002, 0), client.ResolvedRefused},
		"gateway, token":       {answer(401, "text/html", "who?"), client.ResolvedRefused},
		"gateway, not found":   {answer(404, "text/html", "not here"), client.ResolvedDown},
		"gateway, unreachable": {answer(502, "text/html", "nobody"), client.ResolvedDown},
		"too many":             {failure(5000, 0), client.ResolvedDown},
		"broken":               {broken, client.ResolvedDown},
		"failed":               {failure(8000, 0), client.ResolvedDown},
		"unavailable":          {failure(8001, 0), client.ResolvedDown},
		"half an answer":       {answer(200, "application/json", `{"data":{"agent_id":"i","na`), client.ResolvedDown},
		"another agent":        {data(`{"agent_id":"j","name":"Bob","version":8}`), client.ResolvedDown},
		"no agent":             {failure(3000, 0), client.ResolvedNoAgent},
		"no label":             {failure(3001, 0), client.ResolvedNoLabel},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := talk(t, data(resolved, "ETag", `"t"`), tt.answer, answer(304, "", ""))
			r := must1(c.Resolver("Ada", "production", ""))(t)
			resolves(t, r, client.ResolvedActive, 7)
			resolves(t, r, tt.want, 7)
			resolves(t, r, client.ResolvedActive, 7)
			if len(s.requests) != 3 || s.requests[2].Header.Get("If-None-Match") != `"t"` {
				t.Errorf("%d requests, want 3, each once and with the tag", len(s.requests))
			}
		})
	}
}

// A request takes five seconds at most, and none is sent before the service wants it to be.
func TestResolverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		c, s := talk(t, silent, failure(8001, 60), data(resolved))
		r := must1(c.Resolver("Ada", "production", ""))(t)
		began := time.Now()
		resolves(t, r, client.ResolvedDown, 0)
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("a service that is silent took %v", took)
		}
		resolves(t, r, client.ResolvedDown, 0)
		time.Sleep(59 * time.Second)
		resolves(t, r, client.ResolvedDown, 0)
		time.Sleep(time.Second)
		resolves(t, r, client.ResolvedActive, 7)
		if len(s.requests) != 3 {
			t.Errorf("%d requests, want 3", len(s.requests))
		}
	})
}

// Who asks while a request is running has its result. Who gives up ends no request of
// others, and leaves them no result.
func TestResolverAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan bool)
		c, s := talk(t, func(r *http.Request) (*http.Response, error) {
			select {
			case <-open:
				return data(resolved, "ETag", `"t"`)(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})
		r := must1(c.Resolver("Ada", "production", ""))(t)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		gives := func() {
			if got := r.Resolve(ctx); got.State != client.ResolvedDown || !errors.Is(got.Err, context.Canceled) {
				t.Errorf("Resolve of who gives up = %+v", got)
			}
		}
		all.Go(gives)
		synctest.Wait() // its request is running
		all.Go(gives)
		for range 7 {
			all.Go(func() { resolves(t, r, client.ResolvedActive, 7) })
		}
		synctest.Wait()
		cancel()
		synctest.Wait() // the next request is running
		close(open)
		all.Wait()
		if len(s.requests) != 2 {
			t.Errorf("%d requests, want 2", len(s.requests))
		}
	})
}

// A file that is not of this agent, label and service is not used, and one that cannot be
// read is an error. What cannot be written is tried again.
func TestResolverFile(t *testing.T) {
	c, s := talk(t, data(resolved, "ETag", `"t"`), answer(304, "", ""))
	dir := t.TempDir()
	file := filepath.Join(dir, "sub", "ada.json")
	r := must1(c.Resolver("Ada", "production", file))(t)
	if got := r.Resolve(t.Context()); got.State != client.ResolvedActive || !errors.Is(got.FileErr, fs.ErrNotExist) {
		t.Errorf("Resolve without the directory = %+v", got)
	}
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	resolves(t, r, client.ResolvedActive, 7)
	if again := must1(c.Resolver("Ada", "production", file))(t); again.Last() == nil || again.Last().ETag != `"t"` {
		t.Errorf("the file = %+v", again.Last())
	}
	if all, err := os.ReadDir(filepath.Dir(file)); err != nil || len(all) != 1 {
		t.Errorf("the directory has %v, %v, want one file", all, err)
	}
	elsewhere := s.config()
	elsewhere.BaseURL = "http://other.test"
	for name, of := range map[string]func() (*client.Resolver, error){
		"agent":   func() (*client.Resolver, error) { return c.Resolver("Bob", "production", file) },
		"label":   func() (*client.Resolver, error) { return c.Resolver("Ada", "staging", file) },
		"service": func() (*client.Resolver, error) { return connect(t, elsewhere).Resolver("Ada", "production", file) },
	} {
		if r, err := of(); err != nil || r.Last() != nil {
			t.Errorf("a file of another %s = %+v, %v, want none", name, r.Last(), err)
		}
	}
	if err := os.WriteFile(file, []byte(`{"agent":"Ada"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Resolver("Ada", "production", file); err != nil || r.Last() != nil {
		t.Errorf("half a file = %v, want none", err)
	}
	if _, err := c.Resolver("Ada", "production", dir); err == nil {
		t.Error("a directory in the place of the file is no error")
	}
}
