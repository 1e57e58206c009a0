package browser

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// What has to hold for everybody: with every role, on every page, at a desk and
// on a phone, with the keyboard and without eyes.

// Each role is offered what it may do, and nothing else.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	admin := s.token("admin", "ann")
	departments := s.departments(admin)
	own, other := departments[0], departments[1]
	inOwn, inOther := s.agents(admin, own)[0], s.agents(admin, other)[0]
	agentID := must[record](s, admin, "GET", "agents/"+url.PathEscape(inOwn), nil)["id"].(string)
	// What nobody is offered who may only read.
	changes := map[string][]string{
		"":                                   {"New department", "Hire an agent", "Plan", "Move " + own + " down"},
		"agents/" + url.PathEscape(inOwn):    {"Edit", "Delete", "Set a label"},
		"departments/" + url.PathEscape(own): {"Change", "Delete", "Change the policy", "Move " + inOwn + " down"},
		"projects":                           {"New project"},
		"settings":                           {"New webhook", "Save"},
		"access":                             {"New token", "Audit trail"},
	}
	for _, role := range []struct {
		name   string
		token  string
		offers map[string][]string // by page
		lacks  map[string][]string
	}{
		{
			name: "viewer", token: s.token("viewer", "vi"),
			lacks: changes,
		},
		{
			name: "agent", token: s.token("agent", agentID),
			lacks: changes,
		},
		{
			name: "department_admin", token: s.token("department_admin", "dora", "--departments", own),
			offers: map[string][]string{
				"":                                   {"Hire an agent"},
				"agents/" + url.PathEscape(inOwn):    {"Edit", "Delete", "Set a label"},
				"departments/" + url.PathEscape(own): {"Change", "Change the policy", "Move " + inOwn + " down"},
			},
			lacks: map[string][]string{
				"":                                     {"New department", "Plan", "Move " + own + " down"},
				"agents/" + url.PathEscape(inOther):    {"Edit", "Delete", "Set a label"},
				"departments/" + url.PathEscape(other): {"Change", "Change the policy", "Move " + inOther + " down"},
				"settings":                             {"New webhook", "Save"},
				"access":                               {"New token", "Audit trail"},
			},
		},
		{
			name: "editor", token: s.token("editor", "ed"),
			offers: map[string][]string{
				"":                                  {"New department", "Hire an agent", "Plan", "Move " + own + " down"},
				"agents/" + url.PathEscape(inOther): {"Edit", "Delete", "Set a label"}, "projects": {"New project"}, "settings": {"Save"},
				"departments/" + url.PathEscape(other): {"Change", "Move " + inOther + " down"},
			},
			lacks: map[string][]string{"settings": {"New webhook"}, "access": {"New token"}},
		},
		{
			name: "admin", token: admin,
			offers: map[string][]string{"": {"New department", "Plan"}, "settings": {"New webhook", "Save"}, "access": {"New token", "Audit trail"}},
		},
	} {
		t.Run(role.name, func(t *testing.T) {
			s := s
			s.t = t
			b := s.console(role.token, 1440, 900)
			pages := map[string]bool{}
			for page := range role.offers {
				pages[page] = true
			}
			for page := range role.lacks {
				pages[page] = true
			}
			for page := range pages {
				title := map[string]string{"": "Organization", "projects": "Projects", "settings": "Settings", "access": "Access"}[page]
				if title == "" {
					_, name, _ := strings.Cut(page, "/")
					title, _ = url.PathUnescape(name)
				}
				b.visit("#/"+page, title)
				if page == "" || strings.HasPrefix(page, "departments/") {
					b.await("the rows are there", `document.querySelectorAll(".rows > [role=row]").length > 1`)
				}
				for _, name := range role.offers[page] {
					b.await(fmt.Sprintf("%q is offered on the page %q", name, page), "("+find+")("+quote(name)+")")
				}
				for _, name := range role.lacks[page] {
					if eval[bool](b, "Boolean(("+find+")("+quote(name)+"))") {
						t.Errorf("the page %q offers %q", page, name)
					}
				}
			}
		})
	}
}

// A token that ends while somebody types leads to the sign-in, and what was typed
// is saved after it.
func TestExpiredToken(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.token("admin", "ann")
	must[record](s, admin, "POST", "departments", record{"name": "Lab"})
	must[record](s, admin, "POST", "agents", record{"name": "Ada", "role": "Reviewer", "department": "Lab"})
	token := s.token("editor", "ed")
	sid := must[record](s, token, "GET", "auth/me", nil)["sid"].(string)
	b := s.console(token, 1200, 900)
	b.expect("401")
	b.write("Ada")
	b.fill("Instructions", "An hour of work.")
	b.press("Show the difference")
	must[record](s, admin, "DELETE", "auth/sessions/"+sid, nil)
	// The stream has ended, too, so the sign-in may be there before anything is
	// pressed.
	b.do("send the form", chromedp.Evaluate[chromedp.Void](`document.querySelector("dialog form").requestSubmit()`), chromedp.WaitVisible(css("#token")))
	b.awaitText("Your session has ended")
	b.shot("expired")
	if got := eval[string](b, `[...document.querySelectorAll("label")].find(l => l.textContent === "Instructions").control.value`); got != "An hour of work." {
		t.Errorf("what was typed is now %q", got)
	}
	b.signIn(s.token("editor", "ed"))
	b.eventually("it is saved", func() bool {
		return must[record](s, admin, "GET", "agents/Ada", nil)["instructions"] == "An hour of work."
	})
	if v := must[[]record](s, admin, "GET", "agents/Ada/versions", nil); len(v) != 2 {
		t.Errorf("there are %d versions, want 2: it was sent once", len(v))
	}
}

// places are the pages with their titles.
func (s service) places(token string) map[string]string {
	department := s.departments(token)[0]
	agent := s.agents(token, department)[0]
	return map[string]string{
		"": "Organization", "agents/" + url.PathEscape(agent): agent, "agents/" + url.PathEscape(agent) + "/versions": "Versions",
		"departments/" + url.PathEscape(department): department, "activity": "Activity", "changes": "Changes", "projects": "Projects", "plan": "Plan", "settings": "Settings",
		"search?text=the": "Search", "deleted": "Deleted agents", "agents": "Agents", "access": "Access", "audit?reports=with": "Audit trail",
	}
}

// audit is a script that lists what is wrong with a page for those who do not
// see it, or not well.
const audit = `(() => {
	const wrong = [];
	const seen = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: false });
	const show = (e) => e.outerHTML.slice(0, 120);
	const name = (e) => (e.getAttribute("aria-label") ?? "").trim() || e.textContent.trim() || e.title ||
		[...(e.labels ?? [])].map(l => l.textContent).join("") || e.querySelector("img[alt]")?.alt;
	const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
	for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push("the id " + id + " is there twice");
	for (const e of document.querySelectorAll("button, a[href], summary, input, select, textarea")) {
		if (seen(e) && !name(e)) wrong.push("no name: " + show(e));
	}
	for (const e of document.querySelectorAll("input, select, textarea")) {
		if (seen(e) && !e.labels?.length && !e.getAttribute("aria-label")) wrong.push("no label: " + show(e));
	}
	for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) wrong.push("no alternative: " + show(e));
	for (const e of document.querySelectorAll("svg.chart")) if (!e.getAttribute("aria-label")) wrong.push("a chart without words: " + show(e));
	for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) wrong.push("out of order: " + show(e));
	for (const e of document.querySelectorAll("[aria-describedby], [aria-labelledby]")) {
		for (const id of (e.getAttribute("aria-describedby") ?? e.getAttribute("aria-labelledby")).split(" ")) {
			if (!document.getElementById(id)) wrong.push("refers to nothing: " + show(e));
		}
	}
	for (const e of document.querySelectorAll("th")) if (!e.scope) wrong.push("of no row or column: " + show(e));
	const headings = [...document.querySelectorAll("main h1, main h2, main h3")].filter(seen).map(e => Number(e.tagName[1]));
	if (headings.filter(n => n === 1).length !== 1) wrong.push("headings of the first level: " + headings.filter(n => n === 1).length);
	headings.forEach((n, i) => { if (i && n > headings[i - 1] + 1) wrong.push("a level is left out before heading " + i); });
	if (document.querySelectorAll("main").length !== 1 || !document.documentElement.lang || !document.title) wrong.push("no main, language or title");
	for (const [role, parent] of [["li", "ul, ol"], ["dt", "dl"], ["dd", "dl"]]) {
		for (const e of document.querySelectorAll(role)) if (!e.parentElement.matches(parent)) wrong.push("outside of its list: " + show(e));
	}

	// Contrast, of every text with what is behind it (WCAG 2.2, AA).
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const rgba = (color) => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
		return [r, g, b, a / 255];
	};
	const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3])).concat(1);
	const behind = (e) => {
		const layers = [];
		for (; e; e = e.parentElement) {
			const c = rgba(getComputedStyle(e).backgroundColor);
			if (c[3] > 0) layers.push(c);
			if (c[3] === 1) break;
		}
		return layers.reduceRight((below, c) => over(c, below), [255, 255, 255, 1]);
	};
	const light = ([r, g, b]) => {
		const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
		return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
	};
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const judged = new Set();
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement;
		if (!texts.currentNode.data.trim() || judged.has(e) || !seen(e) || e.closest(".unseen, .skip, noscript, option, svg, :disabled")) continue;
		judged.add(e);
		const style = getComputedStyle(e);
		const ground = behind(e);
		const [a, b] = [light(over(rgba(style.color), ground)), light(ground)].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		const large = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700;
		if (ratio < (large ? 3 : 4.5)) wrong.push("contrast " + ratio.toFixed(2) + ": " + show(e));
	}
	return wrong;
})()`

func TestAccessibility(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populateWith(40, 35)
	token := s.token("admin", "ann")
	b := s.console(token, 1440, 900)
	places := s.places(token)
	department := url.PathEscape(s.departments(token)[0])
	places["?"+url.Values{"open": s.departments(token)}.Encode()], places["?q=e&sort=level"] = "Organization", "Organization"
	places["departments/"+department+"?view=board"] = s.departments(token)[0]
	for page, title := range places {
		b.visit("#/"+page, title)
		b.await("its parts are there", complete)
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			for _, wrong := range eval[[]string](b, audit) {
				t.Errorf("the page %q, %s: %s", page, scheme, wrong)
			}
		}
	}
	b.pictures("40", places)
	t.Run("axe", func(t *testing.T) {
		source, err := os.ReadFile(os.Getenv(axeVariable))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("SKIPPED: %s names no axe.min.js; the pages were NOT looked at by axe", axeVariable)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.eval(string(source) + "; 0")
		for page, title := range places {
			b.visit("#/"+page, title)
			for _, scheme := range []string{"light", "dark"} {
				b.scheme(scheme)
				for _, wrong := range eval[[]string](b, axe) {
					t.Errorf("the page %q, %s: %s", page, scheme, wrong)
				}
			}
		}
	})
}

// axe is a script that lists the serious findings of axe.
const axe = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
	.filter(v => ["serious", "critical"].includes(v.impact))
	.flatMap(v => v.nodes.slice(0, 3).map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 160) + " " + (n.failureSummary ?? ""))))`

// An organization in which there is nothing yet.
func TestEmpty(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.console(s.token("admin", "ann"), 1440, 900)
	b.awaitText("There are no departments yet.")
	b.pictures("0", map[string]string{"": "Organization", "search": "Search", "search?text=nobody": "Search", "deleted": "Deleted agents", "agents": "Agents", "access": "Access", "audit": "Audit trail", "activity": "Activity", "changes": "Changes", "projects": "Projects", "plan": "Plan", "settings": "Settings"})
	b.visit("#/?q=ada", "Organization")
	b.awaitText("Nobody is like that.")
}

// The audit finds what it looks for.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.console(s.token("admin", "ann"), 1200, 800)
	b.do("spoil the page", chromedp.Evaluate[chromedp.Void](`{
		const add = (tag, text = "", change = () => {}) => { const e = document.createElement(tag); e.textContent = text; change(e); document.querySelector("main").append(e); };
		add("button");
		add("input");
		add("img");
		add("p", "grey on white", e => { e.style.color = "#999"; e.style.background = "#fff"; });
		add("h1", "another one");
		add("i", "late", e => { e.tabIndex = 5; });
	}`))
	found := strings.Join(eval[[]string](b, audit), "\n")
	for _, want := range []string{"no name: <button", "no label: <input", "no alternative: <img", "contrast 2.85: <p", "headings of the first level: 2", "out of order: <i"} {
		if !strings.Contains(found, want) {
			t.Errorf("the audit lacks %q:\n%s", want, found)
		}
	}
}

// The keyboard reaches everything, in the order in which it is read, and the
// focus can be seen.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("editor", "ed")
	b := s.console(token, 1440, 900)
	b.await("the rows are there", `document.querySelectorAll(".department").length > 1`)
	b.do("begin", chromedp.Evaluate[chromedp.Void](`document.activeElement.blur(); document.querySelector(".skip").focus()`))
	const name = `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()`
	department := s.departments(token)[0]
	want := []string{
		"Skip to the content", "Meridian Works", "Organization", "Agents", "Activity", "Changes", "Projects", "Plan", "Access", "Settings", "Search", "Signed in as ed", "New department", "Hire an agent",
		"Find an agent by name, role, owner or tag", "Level", "Status", "Organization", "Department", "Agents", "Cost, 30 days", "Tasks done", "Success",
		"Agents of " + department, department, "Move " + department + " up", "Move " + department + " down",
	}
	var got []string
	for i := range want {
		got = append(got, eval[string](b, name))
		if i > 0 && !eval[bool](b, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
			t.Errorf("the focus on %q cannot be seen", got[len(got)-1])
		}
		b.do("go on", chromedp.KeyEvent("\t"))
	}
	got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("the order is\n%q, want\n%q", got, want)
	}
	b.press("Hire an agent")
	b.await("the first field has the focus", `document.activeElement.matches("dialog input")`)
	b.do("leave", chromedp.KeyEvent("\u001b"))
	b.await("the dialog is gone", `!document.querySelector("dialog")`)
	b.await("the focus is back", name+` === "Hire an agent"`)
}

// Whatever names and prompts hold is shown as text.
func TestHostileTextInThePage(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	const name = `<img src=x onerror=alert(1)>`
	const text = `"><script>document.title = "taken"</script><b>bold</b>`
	must[record](s, token, "POST", "departments", record{"name": name, "description": text})
	const agent = `<i>Eve</i> %41 #?&/..`
	must[record](s, token, "POST", "agents", record{"name": agent, "role": text, "department": name, "instructions": text, "description": text})
	must[record](s, token, "POST", "projects", record{"name": name, "description": text})
	b := s.console(token, 1200, 900)
	b.visit("#/?q=eve", "Organization")
	b.awaitRows(".found", agent)
	for page, title := range map[string]string{
		"agents/" + url.PathEscape(agent): agent, "departments/" + url.PathEscape(name): name, "activity": "Activity", "changes": "Changes", "projects": "Projects", "settings": "Settings",
	} {
		b.visit("#/"+page, title)
		if made := eval[int](b, `document.querySelectorAll("main script, main b, main i:not(.dot), main img").length`); made > 0 {
			t.Errorf("the page %q made %d elements of a text", page, made)
		}
	}
	b.visit("#/agents/"+url.PathEscape(agent), agent)
	b.awaitText(text)
}
