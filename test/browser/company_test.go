package browser

import (
	"fmt"
	"net/url"
	"time"
)

// somewhere are the departments of the company that populate makes.
var somewhere = []string{"Engineering", "Customer Support", "Research", "Sales", "Finance", "Marketing", "Operations", "Security"}

// populate fills the service with a small company that has a past.
func (s service) populate() { s.t.Helper(); s.populateWith(12, 8) }

// populateWith fills it with so many agents and days, with one department for every four
// agents, but at most eight.
func (s service) populateWith(agents, days int) {
	s.t.Helper()
	token := s.token("admin", "founder")
	doc := record{"format": 1, "company": record{"company_name": "Meridian Works", "budget_monthly": 4000}}
	in := somewhere[:min(len(somewhere), max(1, agents/4))]
	var hired []string
	var all, departments []record
	for i := range agents {
		hired = append(hired, fmt.Sprintf("%s %d", []string{"Ada Lund", "Bruno Costa", "Clara Vogel", "Diego Mori"}[i%4], i+1))
		all = append(all, record{
			"name": hired[i], "role": "Reviewer", "department": in[i%len(in)], "level": "mid", "description": "Reads the text of others.",
			"model":        record{"provider": "aurora", "model_id": "aurora-medium-3"},
			"tools":        record{"allowed": []string{"git", "search"}},
			"skills":       record{"primary": []record{{"id": "reading", "name": "Reading", "proficiency": 0.8}}},
			"instructions": fmt.Sprintf("You review the text of others.\n\n- Say what you do not know.\n- Write for reader %d.\n", i),
		})
	}
	for i, name := range in {
		departments = append(departments, record{
			"name": name, "description": name + " does its part.", "head": hired[i], "budget_percent": 12,
			"teams":           []record{{"name": "First", "lead": hired[i], "members": []string{hired[len(in)+i]}}},
			"reporting_lines": []record{{"subordinate": hired[len(in)+i], "supervisor": hired[i]}},
		})
	}
	doc["departments"], doc["agents"] = departments, all
	must[record](s, token, "POST", "organization/apply", doc)
	for i, name := range in {
		must[record](s, token, "POST", "projects", record{"name": "Project of " + name, "lead": hired[i], "team": []string{hired[len(in)+i]}})
	}
	for i, name := range hired {
		must[record](s, token, "PATCH", "agents/"+url.PathEscape(name), record{"level": []string{"senior", "junior"}[i%2], "instructions": "You review.\n"})
	}
	for day := range days {
		s.reportDay(token, hired, time.Now().UTC().AddDate(0, 0, -day))
	}
}

// reportDay reports what agents did on a day: two tasks each.
func (s service) reportDay(token string, agents []string, day time.Time) {
	s.t.Helper()
	var events []record
	for i, name := range agents {
		for n := range 2 {
			at, id := day.Add(-time.Duration(i+n)*time.Minute), fmt.Sprint(name, day.Unix(), n)
			add := func(kind string, data record) {
				data["task_id"] = id
				events = append(events, record{"event_type": kind, "agent": name, "timestamp": at.Format(time.RFC3339), "description": "reviewed a change", "data": data})
			}
			add("task_started", record{})
			add("cost_incurred", record{"amount": float64(20+i) / 100})
			add("task_completed", record{"success": (i+n+day.Day())%5 > 0, "quality_score": 7, "duration_seconds": 600, "cost": 0.2, "tokens": 900})
		}
	}
	must[any](s, token, "POST", "activities", record{"events": events})
}
