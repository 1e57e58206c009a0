package browser

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// awaitRows waits until the rows of a table have exactly these names.
func (b *tab) awaitRows(rows string, want ...string) {
	b.t.Helper()
	b.await(fmt.Sprintf("the rows are %q", want), `JSON.stringify([...document.querySelectorAll(`+quote(rows+" .name")+`)].map(e => e.textContent)) === JSON.stringify(`+quoteList(want)+`)`)
}

// sort presses the head of a column.
func (b *tab) sort(column string) {
	b.t.Helper()
	const button = `[...document.querySelectorAll("[role=columnheader] button")].find(e => e.firstChild.textContent === `
	b.await("there is a column "+column, button+quote(column)+")")
	b.do("sort by "+column, chromedp.Evaluate[chromedp.Void](button+quote(column)+").click()"))
}

// The first page has the departments with their figures and what is in them, and
// their order can be changed.
func TestOrganization(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("editor", "ed")
	b := s.console(token, 1440, 900)
	departments := s.departments(token)
	b.awaitRows(".department", departments...)
	b.await("figures are there", `/\d %/.test(document.querySelector(".department").textContent)`)
	b.await("the stream is there", `document.querySelector(".live.is-live")`)

	largest := departments[0]
	for _, d := range departments {
		if len(s.agents(token, d)) > len(s.agents(token, largest)) {
			largest = d
		}
	}
	b.press("Agents of " + largest)
	b.awaitRows(".agent", s.agents(token, largest)...)
	b.await("their figures are there", `[...document.querySelectorAll(".agent")].some(e => /\d %/.test(e.textContent))`)
	b.do("load the page again", chromedp.Reload())
	b.awaitRows(".agent", s.agents(token, largest)...) // what is open is in the address

	b.press("Move " + departments[0] + " down")
	turned := slices.Clone(departments)
	turned[0], turned[1] = turned[1], turned[0]
	b.eventually("the departments have changed places", func() bool { return slices.Equal(s.departments(token), turned) })
	b.awaitRows(".department", turned...)
	b.await("the focus has moved along", `document.activeElement.getAttribute("aria-label") === `+quote("Move "+departments[0]+" down"))
	b.press("Agents of " + largest)
	b.awaitRows(".agent")
	b.do("drag it back", chromedp.DragAndDropXY(b.middle(".department", 1)[0]+60, b.middle(".department", 1)[1], b.middle(".department", 0)[0]+60, b.middle(".department", 0)[1]))
	b.eventually("the departments are back", func() bool { return slices.Equal(s.departments(token), departments) })
	b.awaitRows(".department", departments...)

	// Somebody else hires and deletes. What is asked of an agent at that moment may
	// come too late.
	b.expect("404")
	b.press("Agents of " + largest)
	must[record](s, token, "POST", "agents", record{"name": "Zora Live", "role": "Visitor", "department": largest})
	b.awaitText("Zora Live")
	must[record](s, token, "DELETE", "agents/Zora%20Live", nil)
	b.await("she is gone", `!document.body.innerText.includes("Zora Live")`)

	b.press("New department")
	b.fill("Name", "Gardens")
	b.press("Create")
	b.await("it has a row", `document.querySelector('[data-department="Gardens"]')`)
	b.press("Hire an agent")
	b.fill("Name", "Rosa")
	b.fill("Role", "Gardener")
	b.choose("Department", "Gardens")
	b.fill("Instructions", "Water everything.")
	b.press("Hire")
	b.await("her page is there", `document.title.startsWith("Rosa")`)
	if rosa := must[record](s, token, "GET", "agents/Rosa", nil); rosa["department"] != "Gardens" || rosa["instructions"] != "Water everything." {
		t.Errorf("Rosa is %v, want a gardener", rosa)
	}
}

// What is searched, filtered and sorted is in the address: back and forward go
// through it, and whoever gets it sees the same.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	must[record](s, token, "POST", "organization/apply", record{"format": 1,
		"departments": []record{{"name": "Lab"}, {"name": "Kitchen"}, {"name": "Attic"}},
		"agents": []record{
			{"name": "Ada", "role": "Reviewer", "department": "Lab", "level": "senior"},
			{"name": "Émile", "role": "Cook", "department": "Kitchen", "level": "junior"},
			{"name": "Zoe", "role": "Lead cook", "department": "Kitchen", "level": "lead", "status": "on_leave"},
		}})
	b := s.console(token, 1200, 800)
	b.awaitRows(".department", "Lab", "Kitchen", "Attic")
	b.sort("Department")
	b.awaitRows(".department", "Attic", "Kitchen", "Lab")
	b.await("that is said", `document.querySelector("[aria-sort=ascending]").textContent.startsWith("Department")`)
	b.sort("Agents")
	b.awaitRows(".department", "Kitchen", "Lab", "Attic")
	if got := eval[string](b, "location.hash"); got != "#/?sort=-agents" {
		t.Errorf("the address is %s", got)
	}
	search := css("input[type=search]")
	b.do("search", chromedp.SendKeys(search, "COOK"))
	b.awaitRows(".found", "Émile", "Zoe")
	b.await("all of it is in the address", `location.hash.includes("q=COOK")`)
	b.choose("Status", "on_leave")
	b.awaitRows(".found", "Zoe")
	sent := eval[string](b, "location.href")
	for _, want := range []string{"q=COOK", "status=on_leave"} {
		if !strings.Contains(sent, want) {
			t.Errorf("the address is %s, and %s is missing", sent, want)
		}
	}
	b.do("go back", chromedp.Evaluate[chromedp.Void]("history.back()"))
	b.awaitRows(".found", "Émile", "Zoe")
	b.do("go back", chromedp.Evaluate[chromedp.Void]("history.back()"))
	b.awaitRows(".department", "Kitchen", "Lab", "Attic")
	b.await("the field is empty", `document.querySelector("input[type=search]").value === ""`)
	b.do("go forward", chromedp.Evaluate[chromedp.Void]("history.go(2)"))
	b.awaitRows(".found", "Zoe")
	b.await("the field has the words", `document.querySelector("input[type=search]").value === "COOK" && document.querySelector("[aria-label=Status]").value === "on_leave"`)

	b.do("look for a department", chromedp.Evaluate[chromedp.Void](`location.hash = "#/?q=kitch"`))
	b.await("it is named", `document.querySelector(".named a")?.textContent === "Kitchen"`)
	b.awaitText("Nobody is like that.")
	b.do("filter by level", chromedp.Evaluate[chromedp.Void](`location.hash = "#/?level=senior"`))
	b.awaitRows(".found", "Ada")
	b.do("everybody by level", chromedp.Evaluate[chromedp.Void](`location.hash = "#/?q=%20o%20&sort=-level"`)) // "Cook", "Zoe"
	b.awaitRows(".found", "Zoe", "Émile")
	// What was found is kept true.
	b.expect("404")
	must[record](s, token, "POST", "agents", record{"name": "Otto", "role": "Cook", "department": "Attic", "level": "vp"})
	b.awaitRows(".found", "Otto", "Zoe", "Émile")
	must[record](s, token, "DELETE", "agents/Zoe", nil)
	b.awaitRows(".found", "Otto", "Émile")

	other := s.console(token, 1200, 800)
	other.visit(sent[strings.Index(sent, "#"):], "Organization")
	other.do("open it anew", chromedp.Reload())
	other.await("the same is shown", `document.querySelector("[aria-label=Status]")?.value === "on_leave" && document.body.innerText.includes("Nobody is like that.")`)
}

// One department has its agents as a table or as a board, in an order that can
// be changed by buttons, the keyboard and dragging.
func TestBoard(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	must[record](s, token, "POST", "organization/apply", record{"format": 1, "departments": []record{{"name": "Lab"}}, "agents": []record{
		{"name": "Ada", "role": "Reviewer", "department": "Lab"}, {"name": "Ben", "role": "Cook", "department": "Lab"},
		{"name": "Cleo", "role": "Cook", "department": "Lab"}, {"name": "Dan", "role": "Cook", "department": "Lab"},
	}})
	b := s.console(token, 1440, 900)
	b.visit("#/departments/Lab", "Lab")
	rows := ".members .agent"
	ordered := func(want ...string) {
		t.Helper()
		b.eventually("the agents are in the order "+strings.Join(want, ", "), func() bool { return slices.Equal(s.agents(token, "Lab"), want) })
		b.awaitRows(rows, want...)
	}
	ordered("Ada", "Ben", "Cleo", "Dan")
	b.press("Move Ada down")
	ordered("Ben", "Ada", "Cleo", "Dan")
	b.press("Board")
	b.await("the address says so", `location.hash.endsWith("?view=board")`)
	b.do("load it again", chromedp.Reload())
	rows = ".board .card"
	ordered("Ben", "Ada", "Cleo", "Dan")
	b.press("Move Ben down")
	ordered("Ada", "Ben", "Cleo", "Dan")
	b.await("the focus has moved along", `document.activeElement.getAttribute("aria-label") === "Move Ben down"`)
	b.do("move it back with the keyboard", chromedp.Evaluate[chromedp.Void](`document.querySelectorAll(".card")[1].querySelector(".name").focus()`),
		chromedp.KeyEvent(kb.ArrowUp, chromedp.KeyModifiers(kb.ModifierAlt)))
	ordered("Ben", "Ada", "Cleo", "Dan")
	// Cards stand side by side: the first goes behind the third.
	from, to := b.middle(rows, 0), b.middle(rows, 2)
	b.do("drag", chromedp.DragAndDropXY(from[0], from[1], to[0]+120, to[1]))
	ordered("Ada", "Cleo", "Ben", "Dan")
	must[record](s, token, "POST", "agents", record{"name": "Zora", "role": "Visitor", "department": "Lab"})
	b.awaitRows(rows, "Ada", "Cleo", "Ben", "Dan", "Zora")
	b.do("go back", chromedp.Evaluate[chromedp.Void]("history.back()"))
	b.awaitRows(".members .agent", "Ada", "Cleo", "Ben", "Dan", "Zora")
}

// middle is where an element is.
func (b *tab) middle(selector string, i int) []float64 {
	b.t.Helper()
	return eval[[]float64](b, `(() => { const r = document.querySelectorAll(`+quote(selector)+`)[`+quoteInt(i)+`].getBoundingClientRect(); return [r.left + 90, r.top + r.height / 2]; })()`)
}

// An arrow goes up when a figure rises, and its colour and its words say whether
// that is good.
func TestArrows(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	must[record](s, token, "POST", "organization/apply", record{"format": 1, "departments": []record{{"name": "Dear"}, {"name": "Cheap"}, {"name": "Young"}, {"name": "New"}}, "agents": []record{
		{"name": "Ada", "role": "Reviewer", "department": "Dear"}, {"name": "Ben", "role": "Cook", "department": "Cheap"}, {"name": "Cleo", "role": "Cook", "department": "New"}, {"name": "Dan", "role": "Cook", "department": "Young"},
	}})
	cost := func(name string, days int, amount float64) {
		at := time.Now().AddDate(0, 0, -days).UTC().Format(time.RFC3339)
		s.report(token, record{"agent": name, "event_type": "cost_incurred", "timestamp": at, "data": record{"amount": amount}})
	}
	for name, amounts := range map[string][2]float64{"Ada": {100, 112}, "Ben": {100, 50}, "Cleo": {0, 5}, "Dan": {100, 100}} {
		if name != "Cleo" && name != "Dan" {
			cost(name, 70, 1) // so that all of the days before are known
		}
		if amounts[0] > 0 {
			cost(name, 40, amounts[0])
		}
		cost(name, 3, amounts[1])
	}
	// Each day of a week Ada's tasks cost more, and succeed more often. They cost 84 in all, of which
	// those of the day that has other costs already, 15, are no more than these.
	for day := range 7 {
		for i := range 3 {
			at := time.Now().AddDate(0, 0, day-7).UTC().Format(time.RFC3339)
			s.report(token, record{"agent": "Ada", "event_type": "task_completed", "timestamp": at,
				"data": record{"task_id": fmt.Sprint(day, i), "success": i < 1 || day > 3, "cost": 1 + float64(day)}})
		}
	}
	b := s.console(token, 1200, 800)
	for department, want := range map[string]string{
		"Dear":  "declining|↗ 81 %|cost rises: 81 % more than the 30 days before",
		"Cheap": "improving|↘ 50 %|cost falls: 50 % less than the 30 days before",
		"Young": "improving|↘ 63 %|cost falls: 63 % less a day than in the 11 days before that are known",
		"New":   "nothing",
	} {
		got := eval[string](b, `(() => { const t = document.querySelector('[data-department="`+department+`"] .trend');
			return !t ? "nothing" : [t.className.replace("trend", "").trim(), t.firstChild.textContent, t.lastChild.textContent].join("|"); })()`)
		if got != want {
			t.Errorf("the cost of %s has %q, want %q", department, got, want)
		}
	}
	b.press("Agents of Dear")
	const arrows = `[...document.querySelectorAll(".agent .trend")].map(t => t.firstChild.textContent + " " + t.lastChild.textContent + " " + t.classList[1]).join()`
	b.await("the agent's arrows go up", arrows+` === "↗ 81 % cost rises: 81 % more than the 30 days before declining,↗ success rate rises improving"`)
	b.visit("#/departments/Dear", "Dear")
	b.await("its department says the same", arrows+` === "↗ 81 % cost rises: 81 % more than the 30 days before declining,↗ success rate rises improving"`)
	b.visit("#/agents/Ada", "Ada")
	b.await("its page has the same cost", `[...document.querySelectorAll(".tile")].some(t => t.textContent.startsWith("Cost, 30 days$181.00 ↗ 81 %"))`)
	b.await("its page says the same", `[...document.querySelectorAll(".chip .trend")].some(t => t.textContent === "↗cost rises" && t.classList.contains("declining"))`)
}

// report reports one event of an agent.
func (s service) report(token string, event record) {
	s.t.Helper()
	must[any](s, token, "POST", "activities", record{"events": []record{event}})
}

// largeCompany has many agents in departments of a size, which are named by
// number. One of each department has cost something.
func (s service) largeCompany(token string, departments, each int) {
	s.t.Helper()
	var all, agents []record
	for d := range departments {
		all = append(all, record{"name": fmt.Sprintf("Department %03d", d)})
		for i := range each {
			agents = append(agents, record{"name": fmt.Sprintf("Agent %03d-%04d", d, i), "role": []string{"Worker", "Reviewer", "Cook"}[i%3], "department": all[d]["name"]})
		}
	}
	for part := range slices.Chunk(agents, 5000) {
		doc := record{"format": 1, "agents": part}
		if all != nil {
			doc["departments"], all = all, nil
		}
		must[record](s, token, "POST", "organization/apply", doc)
	}
}

// Ten thousand agents are no more work for the browser than twenty.
func TestManyAgents(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.largeCompany(token, 100, 100)
	b := s.console(token, 1440, 900)
	const rows = `document.querySelectorAll(".rows > [role=row]").length`
	const loaded = `performance.getEntriesByType("resource").filter(e => e.name.includes("/console/")).reduce((n, e) => n + e.encodedBodySize, performance.getEntriesByType("navigation")[0].encodedBodySize)`
	if n := eval[int](b, loaded); n == 0 || n > 150_000 {
		t.Errorf("the console has %d bytes, want at most 150000", n)
	}
	b.do("load it again", chromedp.Reload())
	b.await("rows are there", rows+" > 10")
	t.Logf("first table after %d ms, its requests %v ms", eval[int](b, `Math.round(performance.now())`),
		eval[[]int](b, `performance.getEntriesByType("resource").filter(e => e.name.includes("/figures")).map(e => Math.round(e.duration))`))
	b.awaitText("10,000 agents in 100 departments")
	if n := eval[int](b, rows); n > 100 {
		t.Errorf("%d rows are in the page", n)
	}
	began := time.Now()
	b.do("begin to search", chromedp.Focus(css("input[type=search]")), chromedp.SendKeys(css("input[type=search]"), "agent 0"))
	b.awaitText("10,000 of 10,000 agents")
	t.Logf("all agents were read after %d ms", time.Since(began).Milliseconds())
	took := eval[float64](b, `(async () => {
		const field = document.querySelector("input[type=search]");
		const began = performance.now();
		field.value = "099-0042 worker";
		field.dispatchEvent(new Event("input", { bubbles: true }));
		while (document.querySelector(".count").textContent !== "1 of 10,000 agents") await new Promise(requestAnimationFrame);
		await new Promise(requestAnimationFrame);
		return performance.now() - began;
	})()`)
	t.Logf("a search among 10 000 agents took %.0f ms", took)
	b.awaitRows(".found", "Agent 099-0042")
	if asked := len(slices.DeleteFunc(b.urls(), func(u string) bool { return !strings.Contains(u, "/agents?") })); asked > 60 {
		t.Errorf("the page has asked %d times for agents, want each page of 200 once", asked)
	}

	for page, there := range map[string]string{"agents?sort=success": ".agents .rows [role=row]", "agents?sort=tasks": ".agents .rows [role=row]", "search?text=work": ".hit mark"} {
		b.visit("#/projects", "Projects")
		t.Logf("the page %s of 10 000 agents took %.0f ms", page, eval[float64](b, `(async () => {
			const began = performance.now();
			location.hash = "#/`+page+`";
			while (!document.querySelector(`+quote(there)+`)) await new Promise(requestAnimationFrame);
			return performance.now() - began;
		})()`))
	}
	b.visit("#/agents", "Agents")
	if n := eval[int](b, rows); n == 0 || n > 100 {
		t.Errorf("%d rows of all agents are in the page", n)
	}

	b.pictures("10000", map[string]string{
		"": "Organization", "?q=cook&sort=-name": "Organization", "?open=Department+000": "Organization",
		"departments/Department%20000": "Department 000", "departments/Department%20000?view=board": "Department 000",
		"agents/Agent%20000-0000": "Agent 000-0000", "activity": "Activity", "plan": "Plan", "settings": "Settings", "agents": "Agents", "search?text=work": "Search",
	})

	// The one department that is opened is read, as far as somebody looks.
	b.visit("#/?sort=-name", "Organization")
	b.press("Agents of Department 099")
	b.awaitText("Agent 099-0000")
}

// A department of thousands can be opened, looked through and put in order.
func TestLargeDepartment(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.largeCompany(token, 1, 5000)
	b := s.console(token, 1440, 900)
	b.press("Agents of Department 000")
	b.awaitText("Agent 000-0000")
	for _, page := range []string{"", "departments/Department%20000", "departments/Department%20000?view=board"} {
		if page != "" {
			b.visit("#/"+page, "Department 000")
			b.awaitText("Agent 000-0000")
		}
		const rows = `document.querySelectorAll(".rows > *").length`
		if n := eval[int](b, rows); n > 200 {
			t.Errorf("%d rows are in the page %q", n, page)
		}
		b.do("go to the end", chromedp.Evaluate[chromedp.Void](`window.down = setInterval(() => { const s = document.querySelector(".scroller"); s.scrollTop = s.scrollHeight; }, 50)`))
		b.awaitText("Agent 000-4999")
		b.do("stop", chromedp.Evaluate[chromedp.Void](`clearInterval(window.down)`))
		if n := eval[int](b, rows); n > 200 {
			t.Errorf("%d rows are in the page %q after scrolling", n, page)
		}
	}
	b.press("Move Agent 000-4999 up")
	b.eventually("the last but one is now the last", func() bool {
		page := s.call(token, "GET", "agents?limit=200&view=summary", nil)
		for page.Pagination.Next != "" {
			page = s.call(token, "GET", "agents?limit=200&view=summary&cursor="+url.QueryEscape(page.Pagination.Next), nil)
		}
		last := string(page.Data)
		return strings.Index(last, `"Agent 000-4999"`) < strings.Index(last, `"Agent 000-4998"`)
	})
}
