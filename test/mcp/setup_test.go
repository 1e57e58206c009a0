// Package mcp uses the server for models with the clients of the protocol: on standard
// input and output, and over HTTP.
package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orgd/client"
	"orgd/test/process"
)

var binary string // the program

func TestMain(m *testing.M) {
	os.Exit(process.Main(m, func(dir string) (err error) {
		binary, err = process.Build(dir)
		return err
	}))
}

// service is a running service.
type service struct {
	*process.Process
	dir string
}

// serve starts a service for a test, without limits unless flags say so.
func serve(t *testing.T, flags ...string) *service {
	t.Helper()
	s := &service{dir: t.TempDir()}
	p, err := process.Start(t.Context(), binary, s.dir, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = p.Terminate() })
	s.Process = p
	return s
}

// token makes a token. More flags may follow.
func (s *service) token(t *testing.T, role, subject string, flags ...string) string {
	t.Helper()
	token, err := process.Run(t.Context(), binary, append([]string{"token", "create", "--data-dir", s.dir, "--role", role, "--subject", subject}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// admin is a client of the API that may do everything.
func (s *service) admin(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(client.Config{BaseURL: s.URL, Token: client.StaticToken(s.token(t, "admin", "root"))})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// transports are the ways to the server, for a token.
var transports = map[string]func(*testing.T, *service, string) mcp.Transport{
	"stdio": func(t *testing.T, s *service, token string) mcp.Transport {
		return &mcp.CommandTransport{Command: command(t, "ORGD_SERVER="+s.URL, "ORGD_TOKEN="+token)}
	},
	"http": func(t *testing.T, s *service, token string) mcp.Transport {
		via := &http.Transport{}
		t.Cleanup(via.CloseIdleConnections)
		return &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{via, token}}}
	},
}

// bearer sends requests with a token.
type bearer struct {
	via   http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.via.RoundTrip(r)
}

// command is orgd mcp with an environment, and a directory of its own for profiles.
func command(t *testing.T, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), binary, "mcp")
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"HOME=" + cmd.Dir}, env...)
	return cmd
}

// overEach runs a test over each transport.
func overEach(t *testing.T, test func(t *testing.T, connect func(*testing.T, *service, string) *session)) {
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(t *testing.T, s *service, token string) *session { return connect(t, transport(t, s, token)) })
		})
	}
}

// session is one of the SDK.
type session struct{ *mcp.ClientSession }

func connect(t *testing.T, transport mcp.Transport) *session {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatalf("Connect = %v", err)
	}
	t.Cleanup(func() { _ = s.Close() }) // over a service that has stopped it fails
	return &session{s}
}

// maxAnswer bounds the text of an answer.
const maxAnswer = 8 << 10

// call calls a tool.
func (s *session) call(t *testing.T, tool string, arguments any) (text string, failed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s = %v", tool, err)
	}
	if len(result.Content) != 1 || result.StructuredContent != nil {
		t.Fatalf("%s has %d contents, want one text", tool, len(result.Content))
	}
	text = result.Content[0].(*mcp.TextContent).Text
	if len(text) > maxAnswer {
		t.Errorf("%s answers %d bytes, want at most %d", tool, len(text), maxAnswer)
	}
	return text, result.IsError
}

// object is one of JSON.
type object = map[string]any

// ask calls a tool that has to succeed, and returns the object that it answers.
func (s *session) ask(t *testing.T, tool string, arguments any) (answer object) {
	t.Helper()
	text, failed := s.call(t, tool, arguments)
	if failed {
		t.Fatalf("%s(%v) fails: %s", tool, arguments, text)
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s answers no JSON: %v: %.300s", tool, err, text)
	}
	return answer
}

// refused calls a tool that has to fail with certain words.
func (s *session) refused(t *testing.T, tool string, arguments any, words ...string) {
	t.Helper()
	text, failed := s.call(t, tool, arguments)
	for _, w := range words {
		if !failed || !strings.Contains(text, w) {
			t.Errorf("%s(%v) = %s, want an error with %q", tool, arguments, text, w)
		}
	}
}

// must ends the test if an error came.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
