package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

const resolved = `{"agent_id":"i","name":"Ada","department":"D","status":"active","label":"production","version":7,"content_hash":"h","snapshot":{}}`

// runtime makes a runtime that the test ends.
func runtime(t *testing.T, c *client.Client, cfg client.RuntimeConfig) *client.Runtime {
	t.Helper()
	r := begin(t, c, cfg)
	t.Cleanup(func() { closes(t, r) })
	return r
}

// begin makes a runtime.
func begin(t *testing.T, c *client.Client, cfg client.RuntimeConfig) *client.Runtime {
	t.Helper()
	r, err := c.Runtime(cfg)
	if err != nil {
		t.Fatalf("Runtime = %v", err)
	}
	return r
}

func closes(t *testing.T, r *client.Runtime) {
	t.Helper()
	if err := r.Close(context.Background()); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// resolves asks and checks the state and the version, 0 for none.
func resolves(t *testing.T, r *client.Runtime, want client.ResolveState, version int64) client.Resolution {
	t.Helper()
	got := r.Resolve(t.Context(), "Ada", "production")
	fresh := want == client.ResolvedActive || want == client.ResolvedInactive
	if got.State != want || got.Version() != version || (got.Err == nil) != fresh || got.FileErr != nil {
		t.Errorf("Resolve = %+v (version %d), want %s and version %d", got, got.Version(), want, version)
	}
	return got
}

// renews has what is known asked for, and then resolves.
func renews(t *testing.T, r *client.Runtime, want client.ResolveState, version int64) client.Resolution {
	t.Helper()
	r.Resolve(t.Context(), "Ada", "production")
	synctest.Wait()
	return resolves(t, r, want, version)
}

// silent is a service that does not answer.
func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Each answer that is no success has its state, and the last known answer stays unless the
// agent is gone.
func TestRuntimeStates(t *testing.T) {
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
		"another agent":        {data(`{"agent_id":"j","name":"Bob","label":"production","version":8}`), client.ResolvedDown},
		"another label":        {data(strings.Replace(resolved, "production", "staging", 1)), client.ResolvedDown},
		"no agent":             {failure(3000, 0), client.ResolvedNoAgent},
		"no label":             {failure(3001, 0), client.ResolvedNoLabel},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := talk(t, data(resolved, "ETag", `"t"`), tt.answer, data(resolved, "ETag", `"t"`))
				r := runtime(t, c, client.RuntimeConfig{})
				resolves(t, r, client.ResolvedActive, 7)
				time.Sleep(time.Minute)
				left, tag := int64(7), `"t"`
				if tt.want == client.ResolvedNoAgent {
					left, tag = 0, ""
				}
				renews(t, r, tt.want, left)
				time.Sleep(time.Minute)
				renews(t, r, client.ResolvedActive, 7)
				if len(s.requests) != 3 || s.requests[2].Header.Get("If-None-Match") != tag {
					t.Errorf("%d requests, want 3, each once and with the tag", len(s.requests))
				}
			})
		})
	}
}

// A request takes five seconds at most, and none is sent before the service wants it to be.
func TestRuntimeWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, silent, failure(8001, 60), data(resolved))
		r := runtime(t, c, client.RuntimeConfig{})
		began := time.Now()
		resolves(t, r, client.ResolvedDown, 0)
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("a service that is silent took %v", took)
		}
		time.Sleep(48 * time.Second)
		resolves(t, r, client.ResolvedDown, 0)
		time.Sleep(59 * time.Second)
		resolves(t, r, client.ResolvedDown, 0)
		if len(s.requests) != 2 {
			t.Errorf("%d requests, want 2", len(s.requests))
		}
		time.Sleep(13 * time.Second)
		resolves(t, r, client.ResolvedActive, 7)
	})
}

// What is known comes at once while it is asked for, once. Nothing is known after a request
// without an answer, but what has been said is.
func TestRuntimeKnows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, broken, failure(3000, 0), silent, data(resolved), silent)
		r := runtime(t, c, client.RuntimeConfig{})
		resolves(t, r, client.ResolvedDown, 0)
		time.Sleep(time.Minute)
		resolves(t, r, client.ResolvedNoAgent, 0)
		time.Sleep(time.Minute)
		began := time.Now()
		renews(t, r, client.ResolvedNoAgent, 0)
		if took := time.Since(began); took != 0 || len(s.requests) != 3 {
			t.Errorf("what is known took %v, and %d requests, want 0 and 3", took, len(s.requests))
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		resolves(t, r, client.ResolvedDown, 0)
		time.Sleep(time.Minute)
		renews(t, r, client.ResolvedActive, 7)
		time.Sleep(time.Minute)
		began = time.Now()
		renews(t, r, client.ResolvedActive, 7)
		if took := time.Since(began); took != 0 || len(s.requests) != 5 {
			t.Errorf("what is known took %v, and %d requests, want 0 and 5", took, len(s.requests))
		}
	})
}

// A list of several pages is waited for no longer than one request may take, and is there later.
func TestRuntimeWaitsForLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := func(next string) func(*http.Request) (*http.Response, error) {
			return func(r *http.Request) (*http.Response, error) {
				time.Sleep(3 * time.Second)
				return answer(200, "application/json", `{"data":[`+resolved+`],"pagination":{"next_cursor":`+next+`},"error":null,"success":true}`)(r)
			}
		}
		c, _ := talk(t, page(`"n"`), page("null"))
		r := runtime(t, c, client.RuntimeConfig{MaxStale: time.Minute})
		began := time.Now()
		if got := r.ResolveAll(t.Context(), "production"); got.State != client.ResolvedDown || got.Err == nil || time.Since(began) != 5*time.Second {
			t.Errorf("ResolveAll = %+v after %v, want down after 5 s", got, time.Since(began))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := r.ResolveAll(t.Context(), "production"); got.State != client.ResolvedCurrent || len(got.Agents) != 2 {
			t.Errorf("ResolveAll = %+v, want two agents", got)
		}
		time.Sleep(2 * time.Minute)
		if got := r.ResolveAll(t.Context(), "production"); got.State != client.ResolvedStale || len(got.Agents) != 2 || got.Err == nil {
			t.Errorf("ResolveAll = %+v, want two agents that are stale", got)
		}
	})
}

// Who asks while a request is running has its result. Who gives up ends no request of
// others.
func TestRuntimeAsksOnce(t *testing.T) {
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
		r := runtime(t, c, client.RuntimeConfig{})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		gives := func() {
			if got := r.Resolve(ctx, "Ada", "production"); got.State != client.ResolvedDown || !errors.Is(got.Err, context.Canceled) {
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
		synctest.Wait()
		close(open)
		all.Wait()
		if len(s.requests) != 1 {
			t.Errorf("%d requests, want 1", len(s.requests))
		}
	})
}

// A file is found again by service, agent and label, and is not used for others. What cannot
// be written is tried again.
func TestRuntimeFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, data(resolved, "ETag", `"t"`), answer(304, "", ""), broken)
		dir := filepath.Join(t.TempDir(), "kept")
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r := runtime(t, c, client.RuntimeConfig{Directory: dir})
		if got := r.Resolve(t.Context(), "Ada", "production"); got.State != client.ResolvedActive || got.FileErr == nil {
			t.Errorf("Resolve without the directory = %+v", got)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		renews(t, r, client.ResolvedActive, 7)
		files, err := filepath.Glob(dir + "/*")
		if err != nil || len(files) != 1 {
			t.Fatalf("the directory has %v, %v, want one file", files, err)
		}
		for name, want := range map[string]fs.FileMode{dir: 0o700 | fs.ModeDir, files[0]: 0o600} {
			if info, err := os.Stat(name); err != nil || info.Mode() != want {
				t.Errorf("%s has mode %v, %v, want %v", name, info.Mode(), err, want)
			}
		}
		text, err := os.ReadFile(files[0])
		if want := `{"server":"http://orgd.test/prefix","agent":"Ada","label":"production","etag":"\"t\"","answer":` + resolved + `}`; err != nil || string(text) != want {
			t.Errorf("the file has %s, %v\nwant         %s", text, err, want)
		}
		r = runtime(t, c, client.RuntimeConfig{Directory: dir})
		resolves(t, r, client.ResolvedKept, 7)
		renews(t, r, client.ResolvedDown, 7)
		elsewhere := s.config()
		elsewhere.BaseURL = "http://other.test"
		resolves(t, runtime(t, connect(t, elsewhere), client.RuntimeConfig{Directory: dir}), client.ResolvedDown, 0)
	})
}

// An answer that is older than it may be is stale, also one of a file. The file is as old as
// the last answer that confirmed it.
func TestRuntimeStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tagged := data(resolved, "ETag", `"t"`)
		c, _ := talk(t, tagged, answer(304, "", ""), answer(401, "", ""), broken, tagged, failure(3000, 0))
		cfg := client.RuntimeConfig{Directory: filepath.Join(t.TempDir(), "kept"), MaxStale: 3 * time.Minute}
		age := func(by time.Duration) {
			files, err := filepath.Glob(cfg.Directory + "/*")
			if err != nil || len(files) != 1 {
				t.Fatalf("the directory has %v, %v, want one file", files, err)
			}
			if err := os.Chtimes(files[0], time.Time{}, time.Now().Add(-by)); err != nil {
				t.Fatal(err)
			}
		}
		r := runtime(t, c, cfg)
		resolves(t, r, client.ResolvedActive, 7)
		age(time.Hour)
		time.Sleep(4 * time.Minute)
		if got := resolves(t, r, client.ResolvedStale, 7); !got.Usable() {
			t.Errorf("Resolve = %+v, want usable", got)
		}
		synctest.Wait()
		resolves(t, r, client.ResolvedActive, 7) // 304
		time.Sleep(2 * time.Minute)
		renews(t, r, client.ResolvedRefused, 7)
		time.Sleep(2 * time.Minute)
		resolves(t, r, client.ResolvedRefused, 7)
		synctest.Wait()
		resolves(t, r, client.ResolvedStale, 7) // for it is down

		resolves(t, runtime(t, c, cfg), client.ResolvedStale, 7)
		synctest.Wait()
		age(2 * time.Minute)
		r = runtime(t, c, cfg)
		resolves(t, r, client.ResolvedKept, 7)
		synctest.Wait()
		time.Sleep(4 * time.Minute)
		renews(t, r, client.ResolvedNoAgent, 0)
	})
}

// A fallback is for an agent of which nothing is known.
func TestRuntimeFallsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := talk(t, broken, answer(401, "", ""), failure(3001, 0), broken, data(resolved), broken)
		var states []any
		r := runtime(t, c, client.RuntimeConfig{OnEvent: func(name string, f map[string]any) {
			if name == "state" {
				states = append(states, f["state"])
			}
		}})
		for i, want := range []struct {
			state        client.ResolveState
			instructions string
			usable       bool
		}{
			{client.ResolvedFallback, "be brief", true}, {client.ResolvedFallback, "be brief", true}, {client.ResolvedNoLabel, "", false},
			{client.ResolvedFallback, "be brief", true}, {client.ResolvedActive, "", true}, {client.ResolvedDown, "", true},
		} {
			r.Resolve(t.Context(), "Ada", "production")
			synctest.Wait()
			got := r.Resolve(t.Context(), "Ada", "production", client.Fallback("be brief"))
			if got.State != want.state || got.Instructions() != want.instructions || got.Usable() != want.usable {
				t.Errorf("Resolve %d = %+v, want %+v", i+1, got, want)
			}
			time.Sleep(time.Minute)
		}
		if diff := cmp.Diff([]any{"down", "refused", "no_label", "down", "active", "down"}, states); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	})
}

// A runtime without a token is refused at once. Later it goes on with what it has, until there
// is a token again.
func TestRuntimeToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []func(*http.Request) (*http.Response, error){data(resolved), data(`{"accepted":1}`)}}
		cfg := s.config()
		file := filepath.Join(t.TempDir(), "token")
		for _, text := range []string{"", "\n"} {
			if token, err := client.FileToken(file); token != nil || err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("FileToken = %v, want an error that names the file", err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, none := range []client.TokenSource{nil, client.StaticToken("")} {
			cfg.Token = none
			runtime(t, connect(t, cfg), client.RuntimeConfig{}) // the client of HTTP may add one
			if r, err := connect(t, client.Config{BaseURL: cfg.BaseURL, Token: none}).Runtime(client.RuntimeConfig{}); r != nil || err == nil {
				t.Error("Runtime without a token is no error")
			}
		}

		if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if cfg.Token, err = client.FileToken(file); err != nil {
			t.Fatal(err)
		}
		c := connect(t, cfg)
		refused := make(chan any, 100)
		r := runtime(t, c, client.RuntimeConfig{OnEvent: func(name string, f map[string]any) {
			if name == "refused" {
				refused <- f["detail"]
			}
		}})
		resolves(t, r, client.ResolvedActive, 7)
		if auth := s.requests[0].Header.Get("Authorization"); auth != "Bearer secret" {
			t.Errorf("Authorization is %q", auth)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		renews(t, r, client.ResolvedRefused, 7)
		resolves(t, runtime(t, c, client.RuntimeConfig{}), client.ResolvedRefused, 0)
		if n, err := r.Report(used("Ada")); n != 1 || err != nil {
			t.Fatalf("Report = %d, %v", n, err)
		}
		if detail := fmt.Sprint(<-refused); !strings.Contains(detail, file) || len(s.requests) != 1 {
			t.Errorf("refused says %q, after %d requests, want one request and the file", detail, len(s.requests))
		}
		if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if n := r.Flush(t.Context()); n != 0 {
			t.Errorf("Flush = %d", n)
		}
	})
}

// A thousand resolvers that were started together do not ask together. They do not flood a
// service that is down, and are current soon after it is back.
func TestRuntimeSpreads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const back = 5 * time.Minute
		begin := time.Now()
		var mu sync.Mutex
		spans := map[int]int{} // requests, by their five seconds
		c, _ := talk(t, func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			if at := time.Since(begin) - time.Second; at >= 0 { // all begin at once
				spans[int(at/(5*time.Second))]++
			}
			mu.Unlock()
			if time.Since(begin) < back {
				return nil, errors.New("down")
			}
			return data(strings.ReplaceAll(resolved, "Ada", strings.Split(r.URL.Path, "/")[5]))(r)
		})
		r := runtime(t, c, client.RuntimeConfig{})
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				for {
					now := r.Resolve(t.Context(), fmt.Sprintf("Ada-%d", i), "production")
					if now.State == client.ResolvedActive {
						break
					}
					time.Sleep(3 * time.Second)
				}
				if late := time.Since(begin) - back; late > time.Minute {
					t.Errorf("a resolver is current %v after the service is back", late)
				}
			})
		}
		all.Wait()
		for span, n := range spans {
			if n > 5*40 {
				t.Errorf("%d requests in the five seconds from second %d on", n, 5*span+1)
			}
		}
	})
}

// Resolutions follow what a stream tells, and the watch leaves nothing behind.
func TestRuntimeWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var version atomic.Int64
		version.Store(1)
		changed := make(chan string)
		c, s := talk(t, func(r *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(r.URL.Path, "/stream") {
				return data(strings.Replace(resolved, ":7,", fmt.Sprintf(":%d,", version.Load()), 1))(r)
			}
			return feed(errHangs, <-changed)(r)
		})
		r := runtime(t, c, client.RuntimeConfig{})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		go func() {
			time.Sleep(5 * time.Second)
			version.Store(2)
			changed <- "id: p1\ndata: {\"id\":\"c\",\"resource\":{\"type\":\"agent\",\"id\":\"i\",\"name\":\"Ann\"}}\n\n"
		}()
		var versions []int64
		for now := range r.Watch(ctx, "production", "Ada") {
			if versions = append(versions, now.Version()); len(versions) == 2 {
				break
			}
		}
		if diff := cmp.Diff([]int64{1, 2}, versions); diff != "" || ctx.Err() != nil {
			t.Errorf("Watch (-want +got):\n%s", diff)
		}
		if uri := s.requests[0].URL.RequestURI() + s.requests[1].URL.RequestURI(); !strings.Contains(uri, "/changes/stream?action=agent") {
			t.Errorf("no stream was opened: %s", uri)
		}
	})
}

// used is an event.
func used(agent string) client.Report {
	return client.Report{Agent: agent, Data: client.ToolUsed{Tool: "search", Success: true}}
}

// A batch that fails is sent again with the same key and the same body, after waits that
// grow, and not before the service wants it.
func TestRuntimeReportsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, data("{}"), broken, failure(8001, 0), failure(5000, 100), answer(401, "", ""), data(`{"accepted":2}`))
		r := runtime(t, c, client.RuntimeConfig{})
		if n, err := r.Report(used("Ada"), used("Bob")); n != 2 || err != nil {
			t.Fatalf("Report = %d, %v", n, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		synctest.Wait()
		for r.Flush(ctx) > 0 && ctx.Err() == nil {
		}
		posts := s.requests[1:]
		if len(posts) != 5 || ctx.Err() != nil {
			t.Fatalf("%d batches, want 5", len(posts))
		}
		for i, want := range []time.Duration{0, 2, 100, 8} {
			p := posts[i+1]
			if took := p.at.Sub(posts[i].at); took < want*time.Second*8/10 || took > (want+2)*time.Second*12/10 {
				t.Errorf("the wait before attempt %d is %v, want about %d s", i+2, took, want)
			}
			if p.body != posts[0].body || p.Header.Get("Idempotency-Key") != posts[0].Header.Get("Idempotency-Key") {
				t.Errorf("attempt %d is another request than the first", i+2)
			}
		}
	})
}

// A flush also ends the pause of a batch that is on its way when it begins, and is refused then.
func TestRuntimeFlushesWhatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return failure(1001, 0)(r)
		}
		c, _ := talk(t, data("{}"), refused, data(`{"accepted":1}`))
		r := runtime(t, c, client.RuntimeConfig{})
		if n, err := r.Report(used("Ada")); n != 1 || err != nil {
			t.Fatalf("Report = %d, %v", n, err)
		}
		synctest.Wait() // the batch is on its way
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if left := r.Flush(ctx); left != 0 {
			t.Errorf("Flush = %d, want the event sent again at once", left)
		}
	})
}

// A warning of the service is told once, to the hook and in the log.
func TestRuntimeWarns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []func(*http.Request) (*http.Response, error){
			data("{}", "Date", time.Now().UTC().Format(http.TimeFormat)), data(`{"accepted":1,"warnings":["a","b"]}`), data(`{"accepted":1,"warnings":["b","c","c"]}`),
		}}
		var log records
		cfg := s.config()
		cfg.Logger = slog.New(&log)
		var told []any
		r := runtime(t, connect(t, cfg), client.RuntimeConfig{OnEvent: func(name string, f map[string]any) {
			if name == "warning" {
				told = append(told, f["detail"])
			}
		}})
		for range 3 {
			if n, err := r.Report(used("Ada")); n != 1 || err != nil || r.Flush(t.Context()) != 0 {
				t.Fatalf("Report = %d, %v", n, err)
			}
		}
		var logged []any
		for _, x := range log.final() {
			logged = append(logged, x.attrs["reason"])
		}
		want := []any{"a", "b", "c"}
		if diff := cmp.Diff(want, told) + cmp.Diff(want, logged); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
	})
}

// A task is reported with what it was worth, however it ends.
func TestRuntimeTask(t *testing.T) {
	wrong := errors.New("wrong")
	for name, tt := range map[string]struct {
		known string // the answer, "" for none
		work  func(context.Context, *client.Task) error
		err   error
		panic any
		want  string // of the data at the end, without the task
	}{
		"nothing said": {resolved, func(context.Context, *client.Task) error { return nil }, nil, nil,
			`"success":true,"duration_seconds":0,"agent_version":7`},
		"all said": {resolved, func(_ context.Context, task *client.Task) error {
			time.Sleep(1234567 * time.Microsecond)
			task.Quality = "8.5"
			return errors.Join(task.Spend("0.1", 10), task.Spend("0.2000000000049", 5), task.Spend("", 1))
		}, nil, nil, `"success":true,"duration_seconds":1.235,"quality_score":8.5,"cost":0.3,"tokens":16,"agent_version":7`},
		"no amounts": {resolved, func(_ context.Context, task *client.Task) error {
			if task.Spend("-1", 0) == nil || task.Spend("1", -1) == nil || task.Spend("a lot", 1) == nil {
				return wrong
			}
			return task.Spend("0", 0)
		}, nil, nil, `"success":true,"duration_seconds":0,"cost":0,"agent_version":7`},
		"failed": {resolved, func(_ context.Context, task *client.Task) error { task.Fail(); return nil }, nil, nil,
			`"success":false,"duration_seconds":0,"agent_version":7`},
		"an error": {resolved, func(context.Context, *client.Task) error { return wrong }, wrong, nil,
			`"success":false,"duration_seconds":0,"agent_version":7`},
		"a panic": {resolved, func(context.Context, *client.Task) error { panic("no") }, nil, "no",
			`"success":false,"duration_seconds":0,"agent_version":7`},
		"no agent": {"", func(_ context.Context, task *client.Task) error {
			if task.ID != "t1" || task.Prompt.State != client.ResolvedNoAgent {
				return nil
			}
			return wrong
		}, wrong, nil, `"success":false,"duration_seconds":0`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := data(tt.known, "Date", time.Now().UTC().Format(http.TimeFormat))
				if tt.known == "" {
					first = failure(3000, 0)
				}
				c, s := talk(t, first, data(`{"accepted":1}`))
				r := runtime(t, c, client.RuntimeConfig{})
				func() {
					defer func() {
						if p := recover(); p != tt.panic {
							t.Errorf("it panics with %v, want %v", p, tt.panic)
						}
					}()
					if err := r.Task(t.Context(), "Ada", "t1", "production", tt.work); !errors.Is(err, tt.err) {
						t.Errorf("Task = %v, want %v", err, tt.err)
					}
				}()
				if n := r.Flush(t.Context()); n != 0 {
					t.Errorf("Flush = %d", n)
				}
				var bodies strings.Builder
				for _, request := range s.requests {
					bodies.WriteString(request.body)
				}
				started := `"data":{"task_id":"t1"}`
				if tt.known != "" {
					started = `"data":{"task_id":"t1","agent_version":7}`
				}
				if all := bodies.String(); !strings.Contains(all, started) || !strings.Contains(all, `"data":{"task_id":"t1",`+tt.want+`}`) {
					t.Errorf("it is reported as %s\nwant %s and %s", all, started, tt.want)
				}
			})
		})
	}
}

// A task whose report is no event ends as it does.
func TestRuntimeTaskUnreported(t *testing.T) {
	s := &script{answers: []func(*http.Request) (*http.Response, error){broken}}
	var log records
	cfg := s.config()
	cfg.Logger = slog.New(&log)
	r := begin(t, connect(t, cfg), client.RuntimeConfig{})
	err := r.Task(t.Context(), "Ada", "t1", "production", func(_ context.Context, task *client.Task) error {
		task.Quality = "good"
		return nil
	})
	told := func(x record) bool { return x.attrs["msg"] == "orgd task is not reported" }
	if err != nil || !slices.ContainsFunc(log.final(), told) {
		t.Errorf("Task = %v, and the log says %v", err, log.final())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Close(ctx); err == nil {
		t.Error("Close = nil, want one lost report")
	}
}

// What one runtime has not reported, the next one on the directory does. What it finds there
// that is no report it removes.
func TestRuntimeInherits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		c, _ := talk(t, broken)
		first := begin(t, c, client.RuntimeConfig{Directory: dir})
		if n, err := first.Report(used("Ada"), used("Bob")); n != 2 || err != nil {
			t.Fatalf("Report = %d, %v", n, err)
		}
		closes(t, first)
		for name, text := range map[string]string{"0-half.json": `{"events":[{"ev`, ".left.json.tmp": ""} {
			file := filepath.Join(dir, "reports", name)
			if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, time.Now(), time.Now())); err != nil {
				t.Fatal(err)
			}
		}
		c, s := talk(t, data(`{"accepted":2}`))
		dropped := 0
		second := runtime(t, c, client.RuntimeConfig{Directory: dir, OnEvent: func(name string, _ map[string]any) {
			if name == "dropped" {
				dropped++
			}
		}})
		if n := second.Flush(t.Context()); n != 0 || dropped != 1 {
			t.Errorf("Flush = %d, with %d files dropped, want 0 and 1", n, dropped)
		}
		if last := s.requests[len(s.requests)-1]; strings.Count(last.body, `"event_type"`) != 2 {
			t.Errorf("it has sent %s, want two events", last.body)
		}
		time.Sleep(3*time.Minute + time.Second)
		synctest.Wait()
		if left, err := os.ReadDir(filepath.Join(dir, "reports")); err != nil || len(left) != 0 {
			t.Errorf("there is %v, %v, want nothing", left, err)
		}
	})
}

// A runtime leaves the reports of another one alone for as long as that shows that it lives.
func TestRuntimesShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		c, _ := talk(t, broken)
		first := runtime(t, c, client.RuntimeConfig{Directory: dir})
		if n, err := first.Report(used("Ada"), used("Bob")); n != 2 || err != nil {
			t.Fatalf("Report = %d, %v", n, err)
		}
		time.Sleep(time.Second)
		c, s := talk(t, data(`{"accepted":2}`))
		second := runtime(t, c, client.RuntimeConfig{Directory: dir})
		time.Sleep(5*time.Minute + 29*time.Second + time.Second/2) // the first one has shown it, and the second has not looked
		synctest.Wait()
		if len(s.requests) > 0 {
			t.Fatalf("it has sent %s, of a runtime that lives", s.requests[0].body)
		}
		alive, err := filepath.Glob(filepath.Join(dir, "reports", "*.alive"))
		if err != nil || len(alive) != 1 {
			t.Fatalf("%q say that they live, %v, want one", alive, err)
		}
		if err := os.Chtimes(alive[0], time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if len(s.requests) == 0 || strings.Count(s.requests[len(s.requests)-1].body, `"event_type"`) != 2 {
			t.Errorf("it has sent %d requests, want the events of one that has ended", len(s.requests))
		}
		if n := second.Flush(t.Context()); n != 0 {
			t.Errorf("%d events are pending", n)
		}
	})
}

// The hook has each request with its status, and each change of a state.
func TestRuntimeTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		half := func(r *http.Request) (*http.Response, error) { return feed(io.ErrUnexpectedEOF, "{")(r) }
		c, _ := talk(t, data(resolved, "ETag", `"t"`), answer(304, "", ""), half, failure(3001, 0), broken)
		var told []string
		r := runtime(t, c, client.RuntimeConfig{OnEvent: func(name string, f map[string]any) {
			told = append(told, strings.TrimSpace(fmt.Sprintln(name, f["operation"], f["status"], f["before"], f["state"])))
		}})
		for range 5 {
			r.Resolve(t.Context(), "Ada", "production")
			synctest.Wait()
			time.Sleep(time.Minute)
		}
		want := []string{
			"request resolve 200 <nil> <nil>", "state <nil> <nil>  active", "request resolve 304 <nil> <nil>",
			"request resolve 0 <nil> <nil>", "state <nil> <nil> active down", "request resolve 404 <nil> <nil>",
			"state <nil> <nil> down no_label", "request resolve 0 <nil> <nil>", "state <nil> <nil> no_label down",
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("the hook is told (-want +got):\n%s", diff)
		}
	})
}

// What is no event is refused at once, and what finds no room is dropped.
func TestRuntimeTakes(t *testing.T) {
	c, _ := talk(t, broken)
	dropped := 0
	r := begin(t, c, client.RuntimeConfig{MaxEvents: 3, OnEvent: func(name string, fields map[string]any) {
		if name == "dropped" {
			dropped += fields["count"].(int)
		}
		panic("a hook")
	}})
	for name, bad := range map[string]client.Report{
		"no agent":       {Data: client.ToolUsed{Tool: "search"}},
		"no data":        {Agent: "Ada"},
		"no type":        {Agent: "Ada", Data: untyped{}},
		"data in a list": {Agent: "Ada", Data: list{}},
	} {
		if n, err := r.Report(used("Ada"), bad); n != 0 || err == nil {
			t.Errorf("Report of an event with %s = %d, %v", name, n, err)
		}
	}
	if n, err := r.Report(used("Ada"), used("Ada"), used("Ada"), used("Ada")); n != 3 || err != nil || dropped != 1 {
		t.Errorf("Report of too many = %d, %v, dropped %d", n, err, dropped)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Close(ctx); err == nil || !strings.Contains(err.Error(), "3 reports") {
		t.Errorf("Close = %v, want 3 lost reports", err)
	}
}

type untyped struct{}

func (untyped) EventType() client.EventType { return "" }

type list []int

func (list) EventType() client.EventType { return client.EventToolUsed }
