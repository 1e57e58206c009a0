package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
	"orgd/test/webproxy"
)

// patches is a transport that keeps the bodies of PATCH requests and lets around
// stand in for the first ones.
type patches struct {
	via    http.RoundTripper
	around func(n int, r *http.Request, send func() (*http.Response, error)) (*http.Response, error)

	mu     sync.Mutex
	bodies []string
}

func (p *patches) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPatch {
		return p.via.RoundTrip(r)
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.bodies = append(p.bodies, string(text))
	n := len(p.bodies)
	p.mu.Unlock()
	if p.around == nil {
		return p.via.RoundTrip(r)
	}
	return p.around(n, r, func() (*http.Response, error) { return p.via.RoundTrip(r) })
}

// watched starts a service with one agent, and a client whose patches are seen.
func watched(t *testing.T, in client.AgentInput) (s service, c *client.Client, p *patches) {
	t.Helper()
	s, p = serve(t), &patches{}
	c = s.as(t, client.RoleAdmin, func(via http.RoundTripper) http.RoundTripper { p.via = via; return p })
	must1(c.CreateDepartment(t.Context(), client.DepartmentInput{Name: "Engineering"}))(t)
	must1(c.CreateAgent(t.Context(), in))(t)
	return s, c, p
}

// TestUpdateSendsTheDifference changes one thing after the other.
func TestUpdateSendsTheDifference(t *testing.T) {
	_, c, p := watched(t, ada())
	for _, tt := range []struct {
		name   string
		change func(*client.Agent)
		want   string // "" if nothing is sent
	}{
		{"nothing", func(*client.Agent) {}, ``},
		{"the same", func(a *client.Agent) { a.Name, a.Skills.Primary = "Ada", append([]client.Skill{}, a.Skills.Primary...) }, ``},
		{"a text", func(a *client.Agent) { a.Description = "" }, `{"description":""}`},
		{"a number", func(a *client.Agent) { a.Personality.Openness, a.Personality.Extraversion = "", "1" }, `{"personality":{"extraversion":1,"openness":0}}`},
		{"a word to null", func(a *client.Agent) { a.AutonomyLevel = nil }, `{"autonomy_level":null}`},
		{"a word from null", func(a *client.Agent) { a.AutonomyLevel = new(client.AutonomySemi) }, `{"autonomy_level":"semi"}`},
		{"inside an object", func(a *client.Agent) { a.Model.Temperature, a.Model.FallbackModel = "1.5", nil }, `{"model":{"fallback_model":null,"temperature":1.5}}`},
		{"an object to null", func(a *client.Agent) { a.Model, a.Tools.SubConstraints = nil, nil }, `{"model":null,"tools":{"sub_constraints":null}}`},
		{"an object from null", func(a *client.Agent) { a.Model = &client.Model{Provider: "p", ModelID: "m"} }, `{"model":{"model_id":"m","provider":"p"}}`},
		{"a list", func(a *client.Agent) { a.Tools.Allowed = append(a.Tools.Allowed, "z") }, `{"tools":{"allowed":["a","z"]}}`},
		{"a list to nil", func(a *client.Agent) { a.Tools.Allowed, a.Skills.Primary = nil, nil }, `{"skills":{"primary":[]},"tools":{"allowed":[]}}`},
		{"an element", func(a *client.Agent) { a.Skills.Secondary[0].Proficiency = "0.5" },
			`{"skills":{"secondary":[{"id":"sql","input_modes":["text/plain"],"name":"SQL","output_modes":["text/plain"],"proficiency":0.5,"tags":[]}]}}`},
		{"a new element", func(a *client.Agent) { a.Skills.Secondary = []client.Skill{{ID: "go", Name: "Go"}} },
			`{"skills":{"secondary":[{"id":"go","name":"Go"}]}}`},
		{"keys", func(a *client.Agent) {
			a.Metadata["$ne"] = nil
			a.Metadata["o"] = client.Object{"k": 1}
			delete(a.Metadata, "")
		},
			`{"metadata":{"":null,"$ne":null,"o":{"k":1}}}`},
		{"inside a key", func(a *client.Agent) { a.Metadata["o"].(map[string]any)["l"] = "m" }, `{"metadata":{"o":{"l":"m"}}}`},
		{"all keys", func(a *client.Agent) { a.Metadata = nil }, `{"metadata":{"n":null,"o":null}}`},
		{"a free object to null", func(a *client.Agent) { a.ModelRequirement = nil }, `{"model_requirement":null}`},
		{"a reference", func(a *client.Agent) { a.Authority.CanDelegateTo = []string{"Ada"} }, `{"authority":{"can_delegate_to":["Ada"]}}`},
	} {
		before, sent := must1(c.Agent(t.Context(), "Ada"))(t), len(p.bodies)
		after, err := c.UpdateAgent(t.Context(), "Ada", func(a *client.Agent) error { tt.change(a); return nil })
		if err != nil {
			t.Fatalf("%s: UpdateAgent = %v", tt.name, err)
		}
		if tt.want == "" {
			if len(p.bodies) != sent || !cmp.Equal(before, after) {
				t.Errorf("%s: sent %q, and the agent is now %+v", tt.name, p.bodies[sent:], after)
			}
			continue
		}
		if len(p.bodies) != sent+1 || !sameJSON(t, p.bodies[sent], tt.want) || after.Revision != before.Revision+1 {
			t.Errorf("%s: sent %q, want %s", tt.name, p.bodies[sent:], tt.want)
		}
		if read := must1(c.Agent(t.Context(), "Ada"))(t); !cmp.Equal(after, read) {
			t.Errorf("%s: UpdateAgent returned something else than Agent:\n%s", tt.name, cmp.Diff(after, read))
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// bump counts in the metadata, which goes wrong if two do it at once.
func bump(a *client.Agent) error {
	n, _ := a.Metadata["n"].(json.Number)
	i, _ := strconv.Atoi(n.String())
	a.Metadata["n"] = json.Number(strconv.Itoa(i + 1))
	return nil
}

func count(t *testing.T, c *client.Client) string {
	t.Helper()
	n, _ := must1(c.Agent(t.Context(), "Ada"))(t).Metadata["n"].(json.Number)
	return n.String()
}

func plainAda() client.AgentInput {
	return client.AgentInput{Name: "Ada", Role: "Reviewer", Department: "Engineering"}
}

// TestUpdateBeginsAgain lets somebody else be faster, once.
func TestUpdateBeginsAgain(t *testing.T) {
	s, c, p := watched(t, plainAda())
	other := s.as(t, client.RoleEditor)
	p.around = func(n int, r *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		if n == 1 {
			must1(other.UpdateAgent(context.Background(), "Ada", bump))(t)
		}
		return send()
	}
	runs := 0
	a, err := c.UpdateAgent(t.Context(), "Ada", func(a *client.Agent) error { runs++; return bump(a) })
	if err != nil || a.Metadata["n"] != json.Number("2") || runs != 2 {
		t.Errorf("UpdateAgent = %v, %v after %d runs, want 2 after 2", a.Metadata, err, runs)
	}
	// With a tag of one's own there is nothing to begin again.
	p.bodies = nil
	_, err = c.UpdateAgent(t.Context(), "Ada", bump, client.IfMatch(a.ETag))
	var e *client.Error
	if !errors.Is(err, client.ErrVersionConflict) || !errors.As(err, &e) || e.Uncertain || len(p.bodies) != 1 || count(t, c) != "3" {
		t.Errorf("UpdateAgent with an old tag = %v", err)
	}
}

func TestUpdateGivesUp(t *testing.T) {
	s, c, p := watched(t, plainAda())
	other := s.as(t, client.RoleEditor)
	p.around = func(_ int, r *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		must1(other.UpdateAgent(context.Background(), "Ada", bump))(t)
		return send()
	}
	if _, err := c.UpdateAgent(t.Context(), "Ada", bump); !errors.Is(err, client.ErrVersionConflict) || len(p.bodies) != 10 {
		t.Errorf("UpdateAgent against a faster one = %v after %d tries", err, len(p.bodies))
	}
}

func TestUpdateReturnsTheErrorOfTheChange(t *testing.T) {
	_, c, p := watched(t, plainAda())
	no := errors.New("no")
	if _, err := c.UpdateAgent(t.Context(), "Ada", func(a *client.Agent) error { a.Role = "x"; return no }); err != no || len(p.bodies) != 0 {
		t.Errorf("UpdateAgent = %v, and sent %q", err, p.bodies)
	}
}

// TestUpdateWithALostAnswer loses the answer to a change that was made. It must
// not be made twice.
func TestUpdateWithALostAnswer(t *testing.T) {
	lose := func(res *http.Response, err error) (*http.Response, error) {
		if err != nil {
			return nil, err
		}
		return nil, errors.Join(io.ErrUnexpectedEOF, res.Body.Close())
	}
	t.Run("alone", func(t *testing.T) {
		_, c, p := watched(t, plainAda())
		p.around = func(n int, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
			if n == 1 {
				return lose(send())
			}
			return send()
		}
		a, err := c.UpdateAgent(t.Context(), "Ada", bump)
		if err != nil || a.Metadata["n"] != json.Number("1") || a.ETag == "" || a.Revision != 2 || len(p.bodies) != 2 {
			t.Errorf("UpdateAgent = %+v, %v after %d attempts, want it counted once", a, err, len(p.bodies))
		}
	})
	t.Run("among others", func(t *testing.T) {
		s, c, p := watched(t, plainAda())
		other := s.as(t, client.RoleEditor)
		var runs atomic.Int32
		p.around = func(n int, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
			if n > 1 {
				return send()
			}
			res, err := lose(send())
			must1(other.UpdateAgent(context.Background(), "Ada", bump))(t)
			return res, err
		}
		_, err := c.UpdateAgent(t.Context(), "Ada", func(a *client.Agent) error { runs.Add(1); return bump(a) })
		var e *client.Error
		if !errors.As(err, &e) || e.Code != client.ErrVersionConflict || !e.Uncertain || runs.Load() != 1 || count(t, c) != "2" {
			t.Errorf("UpdateAgent = %v after %d runs, want an uncertain conflict after one", err, runs.Load())
		}
	})
	t.Run("never arrived", func(t *testing.T) {
		_, c, p := watched(t, plainAda())
		p.around = func(n int, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
			if n == 1 {
				return nil, io.ErrUnexpectedEOF
			}
			return send()
		}
		if a, err := c.UpdateAgent(t.Context(), "Ada", bump); err != nil || a.Metadata["n"] != json.Number("1") {
			t.Errorf("UpdateAgent = %+v, %v", a.Metadata, err)
		}
	})
}

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
			must1(c.UpdateAgent(ctx, "Ada", func(a *client.Agent) error { a.Role = "Boss"; return nil }))(t)
			if err := c.DeleteAgent(ctx, a.ID, client.IfMatch(a.ETag)); !errors.Is(err, client.ErrVersionConflict) {
				t.Errorf("DeleteAgent with an old tag = %v, want ErrVersionConflict", err)
			}
			must1(c.UpdateCompany(ctx, func(co *client.Company) error { co.CompanyName = "Works"; return nil }))(t)
			must1(c.UpdateDepartment(ctx, "Engineering", func(d *client.Department) error { d.Description = "Makes."; return nil }))(t)
			d := must1(c.Department(ctx, "Engineering"))(t)
			must1(c.ReorderAgents(ctx, "Engineering", []string{"Ada"}, client.IfMatch(d.ETag)))(t)
			must1(c.SetCeremonyPolicy(ctx, "Engineering", client.CeremonyPolicy{}, client.IfMatch(d.ETag), client.IfNoneMatch("*")))(t)
		})
	}
}

// TestNoTag updates behind a proxy that removes entity tags.
func TestNoTag(t *testing.T) {
	c, _ := talk(t, data(`{"id":"0190","name":"Ada","role":"x","revision":1}`))
	_, err := c.UpdateAgent(t.Context(), "Ada", func(a *client.Agent) error { a.Role = "y"; return nil })
	if err == nil || !strings.Contains(err.Error(), "a proxy on the way has removed it") {
		t.Errorf("UpdateAgent without a tag = %v, want the likely reason", err)
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
		"UpdateDepartment":     second(c.UpdateDepartment(ctx, "Eng/health", func(d *client.Department) error { d.Description = "x"; return nil })),
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
		"UpdateAgent":   second(c.UpdateAgent(ctx, "ada/bob", func(a *client.Agent) error { a.Role = "x"; return nil })),
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
			"UpdateAgent":      second(c.UpdateAgent(ctx, "Ada", func(a *client.Agent) error { a.Role = "x"; return nil })),
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
