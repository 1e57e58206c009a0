package scenario

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
)

// Request is one request to the service. It says nothing that an answer has to
// tell first, but for the ids of projects.
type Request struct {
	Method string
	Path   string // below /api/v1, escaped; may hold [ProjectID]
	Body   []byte // JSON; nil for none
	Reason string // of a change of an agent
	// Project is the name of the project that the request makes or changes.
	Project string
}

// ProjectID stands in a path for the id of the request's project.
const ProjectID = "{project_id}"

// Stage is a part of making an organization. The requests of one wave may be
// sent at once, the waves one after the other.
type Stage struct {
	Name  string
	Waves [][]Request
}

// Len is how many requests the stage has.
func (s Stage) Len() (n int) {
	for _, w := range s.Waves {
		n += len(w)
	}
	return n
}

// object is a JSON object. It is written with its names in order.
type object map[string]any

func request(method, path string, body object) Request {
	r := Request{Method: method, Path: path}
	if body != nil {
		var err error
		if r.Body, err = json.Marshal(body); err != nil {
			panic(err) // a body of this package that is no JSON
		}
	}
	return r
}

func agentPath(w *worker) string          { return "/agents/" + url.PathEscape(w.name) }
func departmentPath(d *department) string { return "/departments/" + url.PathEscape(d.name) }

// Before are the stages before the history. Whoever owns the whole organization
// gets a company and an order of departments too.
func (o *Organization) Before(owned bool) []Stage {
	return []Stage{
		o.companyStage(owned), o.departmentStage(owned), o.hiringStage(), o.structureStage(owned), o.projectStage(), o.careerStage(),
	}
}

func (o *Organization) companyStage(owned bool) Stage {
	s := Stage{Name: "company"}
	if owned {
		s.Waves = [][]Request{{request("PATCH", "/company", object{
			"company_name": companyName, "autonomy_level": "semi", "communication_pattern": "hybrid",
			"budget_monthly": 100 * o.opts.Agents,
			"settings": object{
				"time_zone":       "UTC",
				"ceremony_policy": object{"strategy": "task_driven", "auto_transition": false, "transition_threshold": 0.8},
			},
		})}}
	}
	return s
}

func (o *Organization) departmentStage(owned bool) Stage {
	s := Stage{Name: "departments"}
	for _, d := range o.departments {
		body := object{
			"name": d.name, "description": d.name + " " + d.purpose,
			"policies": object{
				"review_requirements": object{"min_reviewers": 1 + d.number%2, "required_reviewer_roles": []string{d.roles[0].title}},
				"approval_chains": []object{{
					"action_type": "spend_money", "approvers": []string{"head of " + d.name, "Controller"}, "min_approvals": 1,
				}},
			},
		}
		if owned {
			body["budget_percent"] = d.share
		}
		s.Waves = append(s.Waves, []Request{request("POST", "/departments", body)}) // one by one: they have an order
	}
	return s
}

// structureStage gives the departments their heads, teams and ceremonies.
func (o *Organization) structureStage(owned bool) Stage {
	var structure, ceremonies []Request
	for _, d := range o.departments {
		structure = append(structure, request("PATCH", departmentPath(d), object{
			"head": d.head.name, "teams": d.teamList(), "reporting_lines": d.reportingLines(),
		}))
		if d.number%3 != 2 { // some go by what the company does
			ceremonies = append(ceremonies, request("PUT", departmentPath(d)+"/ceremony-policy", object{
				"strategy": d.strategy, "auto_transition": d.number%2 == 0, "notes": "agreed with " + d.head.name,
			}))
		}
	}
	s := Stage{Name: "structure", Waves: [][]Request{structure, ceremonies}}
	largest := o.departments[0]
	s.Waves = append(s.Waves, []Request{request("POST", departmentPath(largest)+"/reorder-agents", object{
		"agent_names": reversed(namesOf(largest.workers)),
	})})
	if owned {
		s.Waves[2] = append(s.Waves[2], request("POST", "/company/reorder-departments", object{
			"department_names": reversed(o.Departments()),
		}))
	}
	return s
}

// reversed reverses names in place.
func reversed(names []string) []string {
	slices.Reverse(names)
	return names
}

// maxListed bounds the members of a team and the reporting lines that are
// listed; lists of the interface hold 256 entries.
const maxListed = 200

func (d *department) teamList() []object {
	teams := []object{}
	for t, lead := range d.leads {
		members := []string{}
		for _, w := range d.workers {
			if w.boss == lead && len(members) < maxListed {
				members = append(members, w.name)
			}
		}
		teams = append(teams, object{"name": d.teams[t], "lead": lead.name, "members": members})
	}
	return teams
}

func (d *department) reportingLines() []object {
	lines := []object{}
	for _, w := range d.workers {
		if w.boss != nil && len(lines) < maxListed {
			lines = append(lines, object{"subordinate": w.name, "supervisor": w.boss.name})
		}
	}
	return lines
}

func (o *Organization) projectStage() Stage {
	var found, work, end []Request
	for _, d := range o.departments {
		for i, title := range d.projects {
			r := o.random("project", d.number, i)
			team := some(r, d.workers, 6)
			create := request("POST", "/projects", object{
				"name": title, "description": fmt.Sprintf("%s. Led by %s.", title, d.name),
				"lead": d.head.name, "team": namesOf(team), "budget": 500 * (1 + r.IntN(20)),
				"deadline": (o.began + date(20+r.IntN(120))).start().Format("2006-01-02T15:04:05Z"),
			})
			create.Project = title
			found = append(found, create)
			status := []string{"active", "active", "completed", "on_hold", "planning", "cancelled"}[(d.number+2*i)%6]
			change := func(body object) Request {
				c := request("PATCH", "/projects/"+ProjectID, body)
				c.Project = title
				return c
			}
			if status == "planning" {
				continue
			}
			first := "active"
			if status == "cancelled" {
				first = status
			}
			work = append(work, change(object{"status": first, "task_ids": o.tasksOf(team, r.IntN(20))}))
			if first != status {
				end = append(end, change(object{"status": status}))
			}
		}
	}
	return Stage{Name: "projects", Waves: [][]Request{found, work, end}}
}

// tasksOf returns tasks that the team did on the last days.
func (o *Organization) tasksOf(team []*worker, n int) []string {
	ids := []string{}
	for d := o.began; d > o.began-date(o.opts.Days) && len(ids) < n; d-- {
		for _, w := range team {
			for _, t := range o.tasks(w, d) {
				ids = append(ids, t.id)
			}
		}
	}
	return ids[:min(n, len(ids))]
}
