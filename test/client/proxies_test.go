package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"orgd/client"
	"orgd/test/webproxy"
)

// TestBehindCompression changes things through proxies that mark entity tags.
func TestBehindCompression(t *testing.T) {
	for name, kind := range map[string]webproxy.Kind{"weak": webproxy.Weakens, "suffix": webproxy.Suffixes} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			s := serve(t)
			s.url = webproxy.Start(t, s.url, kind)
			c := s.as(t, client.RoleAdmin)
			must1(c.CreateDepartment(ctx, client.DepartmentInput{Name: "Engineering"}))(t)
			must1(c.CreateAgent(ctx, ada()))(t)
			a := must1(c.Agent(ctx, "Ada"))(t)
			if !strings.HasPrefix(a.ETag, "W/") && !strings.HasSuffix(a.ETag, `-gzip"`) {
				t.Fatalf("the proxy has not marked the tag %s", a.ETag)
			}
			if _, err := c.Agent(ctx, "Ada", client.IfNoneMatch(a.ETag)); !errors.Is(err, client.ErrNotModified) {
				t.Errorf("Agent with the tag of what was read = %v, want ErrNotModified", err)
			}
			must1(c.PatchAgent(ctx, "Ada", client.Object{"role": "Boss"}))(t)
			if err := c.DeleteAgent(ctx, a.ID, client.IfMatch(a.ETag)); !errors.Is(err, client.ErrVersionConflict) {
				t.Errorf("DeleteAgent with an old tag = %v, want ErrVersionConflict", err)
			}
			must1(c.PatchCompany(ctx, client.Object{"company_name": "Works"}, client.IfMatch(must1(c.Company(ctx))(t).ETag)))(t)
			must1(c.PatchDepartment(ctx, "Engineering", client.Object{"description": "Makes."}, client.IfMatch(must1(c.Department(ctx, "Engineering"))(t).ETag)))(t)
			d := must1(c.Department(ctx, "Engineering"))(t)
			must1(c.ReorderAgents(ctx, "Engineering", []string{"Ada"}, client.IfMatch(d.ETag)))(t)
			must1(c.SetCeremonyPolicy(ctx, "Engineering", client.CeremonyPolicy{}, client.IfMatch(d.ETag), client.IfNoneMatch("*")))(t)
		})
	}
}

// TestNoTag changes what was read behind a proxy that removes entity tags.
func TestNoTag(t *testing.T) {
	c, _ := talk(t, data(`{"id":"0190","name":"Ada","role":"x","revision":1}`))
	read := must1(c.Agent(t.Context(), "Ada"))(t)
	_, err := c.PatchAgent(t.Context(), "Ada", client.Object{"role": "y"}, client.IfMatch(read.ETag))
	if err == nil || !strings.Contains(err.Error(), "a proxy on the way has removed it") {
		t.Errorf("PatchAgent without a tag = %v, want the likely reason", err)
	}
}

// TestBehindDecoding asks for names with a slash through a proxy that decodes %2F.
func TestBehindDecoding(t *testing.T) {
	ctx := t.Context()
	s := serve(t)
	direct := s.as(t, client.RoleAdmin)
	s.url = webproxy.Start(t, s.url, webproxy.Decodes)
	c := s.as(t, client.RoleAdmin)
	for _, name := range []string{"Eng", "Eng/x", "x/../Eng", "../agents/Ada"} {
		must1(direct.CreateDepartment(ctx, client.DepartmentInput{Name: name}))(t)
	}
	must1(direct.CreateAgent(ctx, client.AgentInput{Name: "Ada", Role: "r", Department: "Eng"}))(t)
	must1(direct.SetCeremonyPolicy(ctx, "Eng", client.CeremonyPolicy{}))(t)
	for what, err := range map[string]error{
		"Agent of versions":    second(c.Agent(ctx, "Ada/versions")),
		"Agent of health":      second(c.Agent(ctx, "ADA/health")),
		"DeleteDepartment":     c.DeleteDepartment(ctx, "Eng/ceremony-policy"),
		"DeleteAgent":          c.DeleteAgent(ctx, "Ada/versions"),
		"PatchAgent":           second(c.PatchAgent(ctx, "Ada/versions", client.Object{"role": "x"})),
		"RollbackAgent":        second(c.RollbackAgent(ctx, "Ada/versions", client.RollbackInput{TargetVersion: 1})),
		"PatchDepartment":      second(c.PatchDepartment(ctx, "Eng/health", client.Object{"description": "x"})),
		"DeleteCeremonyPolicy": c.DeleteCeremonyPolicy(ctx, "Eng/health"),
		"SetCeremonyPolicy":    second(c.SetCeremonyPolicy(ctx, "Eng/ceremony-policy", client.CeremonyPolicy{})),
	} {
		if failure, ok := errors.AsType[*client.Failure](err); !ok || !strings.Contains(err.Error(), "a proxy on the way may decode %2F") {
			t.Errorf("%s = %v (%+v), want a failure that names the likely cause", what, err, failure)
		}
	}
	if p, err := direct.CeremonyPolicy(ctx, "Eng"); p == nil || err != nil {
		t.Errorf("the policy of Eng is %v, %v, want it untouched", p, err)
	}
}

// TestChangeByID changes what has a name with a slash by its id.
func TestChangeByID(t *testing.T) {
	const id = "0198f3a2-7c41-7d0e-9b52-3f6a1c8e4d70"
	c, s := talk(t, data(`{"id":"`+id+`","name":"Ada/Bob","revision":1,"metadata":{}}`, "ETag", `"x"`))
	ctx := t.Context()
	for what, err := range map[string]error{
		"PatchAgent":    second(c.PatchAgent(ctx, "ada/bob", client.Object{"role": "x"})),
		"RollbackAgent": second(c.RollbackAgent(ctx, "ada/bob", client.RollbackInput{TargetVersion: 1})),
		"DeleteAgent":   c.DeleteAgent(ctx, "ada/bob"),
	} {
		if err != nil {
			t.Errorf("%s = %v", what, err)
		}
	}
	for _, r := range s.requests {
		if r.Method != http.MethodGet && !strings.Contains(r.URL.EscapedPath(), "/agents/"+id) {
			t.Errorf("%s %s, want the id in the path", r.Method, r.URL.EscapedPath())
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestAnswersAboutOthers gets answers that nobody asked for.
func TestAnswersAboutOthers(t *testing.T) {
	const bob = `{"id":"0198f3a2-7c41-7d0e-9b52-3f6a1c8e4d70","name":"Bob","department_name":"Bob","agent_id":"0198f3a2-7c41-7d0e-9b52-3f6a1c8e4d70","agent_name":"Bob","revision":1}`
	for _, answered := range []string{bob, `null`, `{}`} {
		c, _ := talk(t, data(answered, "ETag", `"x"`))
		ctx := t.Context()
		for what, err := range map[string]error{
			"Agent":            second(c.Agent(ctx, "Ada")),
			"Agent by id":      second(c.Agent(ctx, "0198f3a2-7c41-7d0e-9b52-3f6a1c8e4d71")),
			"PatchAgent":       second(c.PatchAgent(ctx, "Ada", client.Object{"role": "x"})),
			"AgentHealth":      second(c.AgentHealth(ctx, "Ada")),
			"AgentPerformance": second(c.AgentPerformance(ctx, "Ada")),
			"Department":       second(c.Department(ctx, "Ada")),
			"PatchDepartment":  second(c.PatchDepartment(ctx, "Ada", client.Object{"head": nil})),
			"DepartmentHealth": second(c.DepartmentHealth(ctx, "Ada")),
			"Project":          second(c.Project(ctx, "proj-000000000001")),
			"PatchProject":     second(c.PatchProject(ctx, "proj-000000000001", client.Object{"name": "x"})),
			"Webhook":          second(c.Webhook(ctx, "0198f3a2-7c41-7d0e-9b52-3f6a1c8e4d71")),
		} {
			if err == nil || !strings.Contains(err.Error(), "was asked for") {
				t.Errorf("%s, answered with %s = %v, want an error", what, answered, err)
			}
		}
	}
	for asked, name := range map[string]string{"ada": "Ada", " ADA ": "Ada", "STRASSE": "Straße", "e\u0301": "É", "a/\u00c4": "A/ä", "x": "\u200dx"} {
		c, _ := talk(t, data(`{"id":"0190","name":"`+name+`"}`))
		if _, err := c.Agent(t.Context(), asked); err != nil {
			t.Errorf("Agent(%q), answered with %q = %v, want no error", asked, name, err)
		}
	}
}
