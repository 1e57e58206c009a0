package apitest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func organizationChecks() map[string]check {
	return map[string]check{
		"ExportJSON":      exportsJSON,
		"ExportEmpty":     exportsNothing,
		"ExportForms":     exportForms,
		"ExportManyPages": exportsManyPages,
	}
}

// newStaff makes departments and agents that refer to each other, also to one
// that is gone.
func newStaff(t *testing.T, s *Service) *client {
	t.Helper()
	c := s.admin(t)
	c.patch("/company", obj{"company_name": "Acme: a company", "settings": obj{"ceremony_policy": obj{"strategy": "calendar"}, "$ne": obj{"": nil}}}).want(200)
	c.found("Sales", "Design")
	c.post("/company/reorder-departments", obj{"department_names": list{"Design", "Sales"}}).want(200)
	gone := c.hire("Gone", "Sales")
	ann := c.hire("Ann", "Design", obj{
		"instructions": "Be kind.\n\nBe brief.\n", "metadata": obj{"n": 1, "text": "yes"}, "hiring_date": "2026-01-31",
		"model": obj{"provider": "p", "model_id": "m"},
	})
	c.hire("Bob", "Design", obj{"hiring_date": "2026-01-31", "authority": obj{"reports_to": "Ann", "can_delegate_to": list{gone, ann}}})
	c.hire("Cleo", "Sales", obj{"hiring_date": "2026-01-31", "authority": obj{"reports_to": gone}, "personality": obj{"traits": list{"a: b", "- c"}}})
	c.patch(departmentPath("Design"), obj{
		"head": "Bob", "teams": list{obj{"name": "T", "lead": gone, "members": list{"Ann", gone}}}, "ceremony_policy": obj{"own": list{obj{"x": list{}}}},
		"reporting_lines": list{obj{"subordinate": "Ann", "supervisor": "Bob"}, obj{"subordinate": "Cleo", "supervisor": gone}},
	}).want(200)
	c.delete(agentPath(gone)).want(204)
	c.post(departmentPath("Design")+"/reorder-agents", obj{"agent_names": list{"Bob", "Ann"}}).want(201)
	return c
}

// The document names things in their order and has no ids.
func exportsJSON(t *testing.T, s *Service) {
	c := newStaff(t, s)
	r := c.get("/organization").want(200)
	golden(t, "organization.json", r)
	c.patch(agentPath("Ann"), obj{"name": "Anna"}).want(200)
	c.get("/organization").has("data.agents.0.authority.reports_to", "Anna").has("data.agents.1.name", "Anna").has("data.departments.0.teams.0.members", list{"Anna"})
}

func exportsNothing(t *testing.T, s *Service) {
	c := s.admin(t)
	c.get("/organization").want(200).has("data.format", 1).has("data.departments", list{}).has("data.agents", list{}).has("data.company.company_name", "Company")
	c.found("Design")
	c.get("/organization").want(200).has("data.departments.0.name", "Design").has("data.agents", list{})
}

// The document is JSON, whatever else is asked for.
func exportForms(t *testing.T, s *Service) {
	c := s.admin(t)
	for _, accept := range []string{"application/json", "*/*", "application/yaml", "application/yaml, application/json", "text/plain", "nonsense"} {
		if got := c.with("Accept", accept).get("/organization").want(200).header.Get("Content-Type"); got != "application/json" {
			t.Errorf("Accept %q is answered with %s, want JSON", accept, got)
		}
	}
	s.as(t, "agent").get("/organization").refused(403, 1001)
	s.anonymous(t).get("/organization").refused(401, 1000)
}

// A document that takes several pages and writes has everybody once, in order.
func exportsManyPages(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	names := numbered("Agent ", 230)
	for i, n := range names {
		c.hire(n, "Design", obj{"instructions": strings.Repeat("x", i*4)})
	}
	var got []string
	for _, a := range c.get("/organization").want(200).items("data.agents") {
		got = append(got, a.(map[string]any)["name"].(string))
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	head := c.send("HEAD", "/organization", nil)
	if head.status != 200 || len(head.body) > 0 || head.header.Get("Content-Type") != "application/json" {
		t.Errorf("HEAD = %d %v with %d bytes", head.status, head.header, len(head.body))
	}
}
