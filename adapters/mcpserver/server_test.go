package mcpserver_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"orgd/adapters/mcpserver"
	"orgd/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server that is stopped ends the calls that are running, and their requests.
func TestStopInCalls(t *testing.T) {
	var running atomic.Int32
	asked, left := make(chan struct{}, 20), make(chan struct{}, 20)
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		running.Add(1)
		asked <- struct{}{}
		<-r.Context().Done()
		running.Add(-1)
		left <- struct{}{}
	}))
	defer api.Close()
	via := &http.Transport{}
	defer via.CloseIdleConnections()
	service, err := client.New(client.Config{BaseURL: api.URL, HTTPClient: &http.Client{Transport: via}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcpserver.Serve(ctx, mcpserver.New("1", func(context.Context) (mcpserver.Service, error) {
			return mcpserver.Service{Client: service}, nil
		}), in, out)
		_ = out.Close() // never fails
	}()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	called := make(chan struct{}, cap(asked))
	for range cap(asked) {
		go func() {
			_, _ = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_agents"}) // it fails, one way or another
			called <- struct{}{}
		}()
	}
	for range cap(asked) {
		<-asked
	}
	begin := time.Now()
	stop()
	_ = in.Close() // as standard input does when the process is asked to stop
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("Serve ends after %s, as long as calls may take", took)
	}
	_ = c.Close() // its server is gone
	for range cap(asked) {
		<-left
		<-called
	}
	if n := running.Load(); n != 0 {
		t.Errorf("%d requests are left", n)
	}
}

// A line that is no message is answered with an error, and the session goes on.
func TestLinesThatAreNoMessages(t *testing.T) {
	in := strings.Join([]string{
		`hello`, ``, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[]`, `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`,
		`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":"` + strings.Repeat("a", 3<<20) + `"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"ping"}`, `{"jsonrpc":"2.0","id":4,"method":"ping"}`,
	}, "\n")
	var out strings.Builder
	if err := mcpserver.Serve(t.Context(), mcpserver.New("1", nil), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]int{`"code":-32700`: 6, "it has more than 1048576 bytes": 1, `"id":3,"result":{}`: 1, `"id":4,"result":{}`: 1} {
		if got := strings.Count(out.String(), part); got != want {
			t.Errorf("%s comes %d times, want %d:\n%s", part, got, want, out.String())
		}
	}
}
