package mcp

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orgd/client"
)

// A call that a limit refuses fails with how long to wait.
func TestLimits(t *testing.T) {
	s := serve(t, "--limit", "activities.ingest=1/60s")
	ada, _ := s.staff(t)
	overEach(t, func(t *testing.T, connect func(*testing.T, *service, string) *session) {
		events := object{"events": []object{{"agent": ada.ID, "event_type": "task_started", "data": object{"task_id": "a"}}}}
		c := connect(t, s, s.token(t, "editor", strings.ReplaceAll(t.Name(), "/", "-")))
		c.ask(t, "report_task", events)
		c.refused(t, "report_task", events, "try again in", "s")
		c.ask(t, "find_agents", nil)
	})
}

// A server outlives the service: calls fail while it is down.
func TestDown(t *testing.T) {
	s := serve(t)
	c := connect(t, transports["stdio"](t, s, s.token(t, "viewer", "vic")))
	c.ask(t, "find_agents", nil)
	if _, err := s.Terminate(); err != nil {
		t.Fatal(err)
	}
	c.refused(t, "find_agents", nil, s.URL+" has stopped answering")
	if got := must[*mcp.ListToolsResult](t)(c.ListTools(t.Context(), nil)); len(got.Tools) != len(names) {
		t.Errorf("tools/list has %d tools, want %d", len(got.Tools), len(names))
	}
	c = connect(t, transports["stdio"](t, s, "token"))
	c.refused(t, "find_agents", nil, "no service answers at "+s.URL)
}

// When the stored token has ended, calls say how to store another; with that they go on.
func TestStoredToken(t *testing.T) {
	s := serve(t)
	s.staff(t)
	cmd := command(t)
	login := func(token string) {
		in := exec.CommandContext(t.Context(), binary, "login", "--server", s.URL)
		in.Env, in.Dir, in.Stdin = cmd.Env, cmd.Dir, strings.NewReader(token+"\n")
		if out, err := in.CombinedOutput(); err != nil {
			t.Fatalf("orgd login = %v\n%s", err, out)
		}
	}
	token := s.token(t, "viewer", "vic")
	login(token)
	c := connect(t, &mcp.CommandTransport{Command: cmd})
	c.ask(t, "find_agents", nil)
	ending := must[*client.Client](t)(client.New(client.Config{BaseURL: s.URL, Token: client.StaticToken(token)}))
	if err := ending.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.refused(t, "find_agents", nil, "does not accept the token", "orgd login --profile default")
	login(s.token(t, "viewer", "vic"))
	c.ask(t, "find_agents", nil)
}

// What comes before the end of the input is answered, nothing but answers is on standard
// output, and the command ends by itself.
func TestEndOfInput(t *testing.T) {
	s := serve(t)
	s.staff(t)
	cmd := command(t, "ORGD_SERVER="+s.URL, "ORGD_TOKEN="+s.token(t, "viewer", "vic"))
	var in, said strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	for i := range 20 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_agent","arguments":{"agent":"Ada"}}}`+"\n", i+1)
	}
	cmd.Stdin, cmd.Stderr = strings.NewReader(in.String()), &said
	out, err := cmd.Output()
	if got := strings.Count(string(out), `"jsonrpc":"2.0"`); err != nil || got != 21 || strings.Count(string(out), "\n") != 21 || strings.Contains(string(out), "isError") {
		t.Errorf("%d answers, %v, want 21:\n%s", got, err, out)
	}
	if said.Len() > 0 {
		t.Errorf("standard error has %s", &said)
	}
	cmd = command(t, "ORGD_SERVER=nonsense")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "ORGD_SERVER") {
		t.Errorf("orgd mcp with a wrong server = %v: %s", err, out)
	}
}
