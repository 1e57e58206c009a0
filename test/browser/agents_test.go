package browser

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// worked says of an agent that it finished so many tasks well and so many badly, and what they
// cost in all.
func (s service) worked(token, agent string, good, bad int, cost float64) {
	s.t.Helper()
	events := []any{record{"event_type": "cost_incurred", "agent": agent, "data": record{"amount": cost}}}
	for i := range good + bad {
		events = append(events, record{"event_type": "task_completed", "agent": agent, "data": record{
			"task_id": fmt.Sprint(agent, i), "success": i < good, "quality_score": 5,
		}})
	}
	must[any](s, token, "POST", "activities", record{"events": events})
}

// cells are the texts of a column of the table of all agents.
func (b *tab) cells(column string) []string {
	b.t.Helper()
	return b.texts(`.agents .rows .of-` + column)
}

// awaitAgents waits until the table has these agents in this order.
func (b *tab) awaitAgents(names ...string) {
	b.t.Helper()
	b.await("the table has "+strings.Join(names, ", "), `JSON.stringify([...document.querySelectorAll(".agents .rows .of-name")].map(e => e.textContent)) === JSON.stringify(`+quoteList(names)+`)`)
}

// Names of any length leave the columns of the table where they are.
func TestLongNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	long := strings.Repeat("long-", 20) + "name"
	must[record](s, token, "POST", "departments", record{"name": long})
	for _, name := range []string{"Ada", long} {
		must[record](s, token, "POST", "agents", record{"name": name, "role": "Reviewer of " + long, "department": long, "owner": long, "tags": []string{long[:60]}})
	}
	b := s.console(token, 1440, 900)
	for _, columns := range []string{"", "?columns=name&columns=owner&columns=tags&columns=labels&columns=cost"} {
		b.visit("#/agents"+columns, "Agents")
		b.await("both are there", `document.querySelectorAll(".agents .rows [role=row]").length === 2`)
		if got := eval[string](b, `(() => { const rows = [...document.querySelectorAll(".agents [role=row]")].map(r => [...r.children].map(c => Math.round(c.getBoundingClientRect().left)).join());
			return new Set(rows).size === 1 ? "" : rows.join("; "); })()`); got != "" {
			t.Errorf("the cells of rows begin at %s", got)
		}
	}
}

// Who is worst is one click away. The table is ordered by every column, filtered, exported and
// found again by its address.
func TestAgents(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	must[record](s, token, "POST", "departments", record{"name": "Office"})
	for _, a := range []record{
		{"name": "Ada", "role": "=Reviewer", "department": "Lab", "level": "lead", "owner": "ann", "tags": []string{"eu", "core"}},
		{"name": "Bo", "role": "Tester", "department": "Office", "level": "junior", "owner": "ann"},
		{"name": "Cy", "role": "Cy", "department": "Lab", "status": "on_leave", "tags": []string{"eu"}},
		{"name": "Dee, \"the\" new", "role": "New", "department": "Lab"},
	} {
		must[record](s, token, "POST", "agents", a)
	}
	s.worked(token, "Ada", 9, 1, 30)
	s.worked(token, "Bo", 4, 6, 10)
	s.worked(token, "Cy", 7, 3, 20)
	must[record](s, token, "PUT", "agents/Bo/labels/production", record{"version": 1})

	b := s.console(token, 1440, 900)
	b.press("Agents")
	b.awaitAgents("Bo", "Cy", "Ada", `Dee, "the" new`) // who has no data comes last
	if got := b.cells("success"); !slices.Equal(got, []string{"40 %", "70 %", "90 %", "–"}) {
		t.Errorf("the column success has %q", got)
	}
	if got := b.cells("active"); got[3] == "just now" && got[0] != "just now" {
		t.Errorf("last active has %q", got)
	}
	if got := b.cells("role"); !slices.Equal(got, []string{"Tester", "", "=Reviewer", "New"}) {
		t.Errorf("the roles are %q, want none that repeats the name", got)
	}
	for _, order := range []struct {
		press string
		want  []string
	}{
		{"Success ↑", []string{"Ada", "Cy", "Bo", `Dee, "the" new`}},
		{"Cost", []string{"Ada", "Cy", "Bo", `Dee, "the" new`}},
		{"Cost ↓", []string{`Dee, "the" new`, "Bo", "Cy", "Ada"}},
		{"Level", []string{"Bo", "Cy", `Dee, "the" new`, "Ada"}},
		{"Role", []string{"Ada", "Cy", `Dee, "the" new`, "Bo"}},
		{"Agent", []string{"Ada", "Bo", "Cy", `Dee, "the" new`}},
	} {
		b.press(order.press)
		b.awaitAgents(order.want...)
	}
	b.choose("department", "Lab")
	b.awaitAgents("Ada", "Cy", `Dee, "the" new`)
	b.choose("Tag", "eu")
	b.awaitAgents("Ada", "Cy")
	b.press("Columns")
	for _, box := range []string{"owner", "tags"} {
		b.do("choose a column", chromedp.Click(css(`input[type=checkbox][value=`+box+`]`)))
		b.await("the column is there", `document.querySelector(".agents .of-`+box+`")`)
		if open := eval[bool](b, `document.querySelector("details.drop:has(input)").open`); !open {
			b.press("Columns")
		}
	}
	if got := b.cells("tags"); !slices.Equal(got, []string{"eucore", "eu"}) {
		t.Errorf("the tags are %q", got)
	}
	address := eval[string](b, "location.hash")
	for _, want := range []string{"sort=name", "department=Lab", "tag=eu", "columns=owner", "columns=tags"} {
		if !strings.Contains(address, want) {
			t.Errorf("the address %s lacks %s", address, want)
		}
	}
	b.visit("#/projects", "Projects")
	b.eval("history.back()")
	b.await("the table is as it was", `document.title.startsWith("Agents") && location.hash === `+quote(address)+` && document.querySelectorAll(".agents .rows .of-tags").length === 2`)

	b.visit("#/agents?sort=name&columns=name&columns=role&columns=success&columns=labels&columns=cost", "Agents")
	b.eval(`{ const made = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then(t => { window.exported = t; }); return made.call(URL, blob); }; }`)
	b.press("Export CSV")
	b.await("there is a file", "window.exported")
	rows, err := csv.NewReader(strings.NewReader(eval[string](b, "window.exported"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"name", "role", "labels", "success", "cost"}, {"Ada", "'=Reviewer", "", "0.9", "30"}, {"Bo", "Tester", "production v1", "0.4", "10"}, {"Cy", "Cy", "", "0.7", "20"}, {`Dee, "the" new`, "New", "", "", "0"}} {
		if !slices.Equal(rows[i][1:], want) {
			t.Errorf("line %d of the file is %q, want %q behind the id", i+1, rows[i], want)
		}
	}

	// What happens since is not put into the table while somebody reads it.
	s.worked(token, "Ada", 0, 40, 1)
	b.press("Show newer figures")
	b.await("they are there", `[...document.querySelectorAll(".agents .rows .of-success")][0].textContent === "18 %"`)
}
