package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// zones are those in which a day begins first, and nearly last, with how moments on both
// sides of the turn of a year are written there.
var zones = map[string][2]string{
	"Pacific/Kiritimati":  {"Jan 1, 2027, 1:59 PM GMT+14", "Jan 1, 2027, 2:00 PM GMT+14"},
	"America/Los_Angeles": {"Dec 31, 2026, 3:59 PM PST", "Dec 31, 2026, 4:00 PM PST"},
}

// consoleIn is the console in a browser of a time zone.
func (s service) consoleIn(zone, token string) *tab {
	s.t.Helper()
	b := s.console(token, 1440, 900)
	b.do("move to "+zone, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone})
		return chromedp.Void{}, err
	}, chromedp.Reload())
	b.await("the page is there", `document.body.dataset.ready !== undefined`)
	return b
}

// Days are those of UTC and times those of the browser, wherever it is.
func TestTimeZones(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, nil)
	must[record](s, token, "POST", "projects", record{"name": "Roof", "deadline": "2027-01-01T00:00:00.000Z"})
	must[record](s, token, "POST", "projects", record{"name": "Cellar", "deadline": "2026-12-31T23:59:59.999Z"})
	hired := must[record](s, token, "GET", "agents/Ada", nil)["hiring_date"].(string)
	day, err := time.Parse(time.DateOnly, hired)
	if err != nil {
		t.Fatal(err)
	}
	for zone := range zones {
		b := s.consoleIn(zone, token)
		b.visit("#/projects", "Projects")
		for name, days := range map[string][2]string{"Roof": {"Jan 1, 2027", "2027-01-01"}, "Cellar": {"Dec 31, 2026", "2026-12-31"}} {
			b.awaitText(days[0])
			b.press("Change " + name)
			b.await("the dialog is open", `document.querySelector("dialog[open]")`)
			if got := b.value("Deadline"); got != days[1] {
				t.Errorf("in %s the form of %s has the deadline %s", zone, name, got)
			}
			b.press("Cancel")
			b.closed()
		}
		b.visit("#/agents/Ada", "Ada")
		b.awaitText(day.Format("Jan 2, 2006"))
		b.press("Signed in as ed")
		b.awaitText("Times are those of " + zone)
	}
}

// An event belongs to the UTC day, month and year that it happened in, to the millisecond.
func TestEdgesOfDays(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("admin", "ann")
	s.lab(token, nil)
	must[record](s, token, "PATCH", "company", record{"budget_monthly": 100})
	now := time.Now().UTC()
	edge := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	moments := []time.Time{edge.Add(-time.Millisecond), edge} // of this month and of the last one
	for i, at := range moments {
		s.report(token, record{"agent": "Ada", "event_type": "cost_incurred", "timestamp": at.Format(time.RFC3339Nano), "data": record{"amount": i + 1}})
	}
	for zone, written := range zones {
		b := s.consoleIn(zone, token)
		b.awaitText("$2 of $100 used this month (2 %)")
		b.edgesOfLine(zone, "main", moments)
		b.visit("#/agents/Ada", "Ada")
		b.edgesOfLine(zone, "main", moments)
		b.visit("#/activity", "Activity")
		want := eval[[]string](b, fmt.Sprintf(`import("/console/format.js").then(({ time }) => [%d, %d].map((ms) => time(new Date(ms).toISOString())))`, edge.UnixMilli(), edge.UnixMilli()-1))
		if got := eval[[]string](b, `[...document.querySelectorAll(".event.cost_incurred time")].map((e) => e.title)`); !slices.Equal(got, want) {
			t.Errorf("in %s the events happened at %q, want %q", zone, got, want)
		}
		b.auditOfDays(zone)
		b.turnOfTheYear(zone, written)
	}
}

// edgesOfLine looks which days of the line of costs have the costs of two moments, 1 and 2.
func (b *tab) edgesOfLine(zone, within string, moments []time.Time) {
	b.t.Helper()
	const line = `[...document.querySelectorAll(".lines figure:first-child title")].map((e) => e.textContent).filter((t) => !t.endsWith("$0.00"))`
	b.await("the line is there", `document.querySelector(".lines figure title")`)
	want := []string{moments[0].Format("Jan 2, 2006") + ": $1.00", moments[1].Format("Jan 2, 2006") + ": $2.00"}
	if got := eval[[]string](b, line); !slices.Equal(got, want) {
		b.t.Errorf("in %s the line has %q, want %q", zone, got, want)
	}
}

// auditOfDays asks for what was done on the last day of a year.
func (b *tab) auditOfDays(zone string) {
	b.t.Helper()
	b.visit("#/access", "Access")
	b.press("Audit trail")
	b.await("everything is there", `document.title.startsWith("Audit trail") && document.querySelectorAll("tbody tr").length > 2`)
	b.choose("From (UTC day)", "2026-12-31")
	b.await("it is in the address", `location.hash === "#/audit?since=2026-12-31" && !document.querySelector("main[aria-busy]")`)
	b.choose("Before (UTC day)", "2027-01-01")
	b.await("both are", `location.hash === "#/audit?since=2026-12-31&until=2027-01-01" && !document.querySelector("main[aria-busy]")`)
	if from, before := b.value("From (UTC day)"), b.value("Before (UTC day)"); from != "2026-12-31" || before != "2027-01-01" {
		b.t.Errorf("in %s the fields have %s and %s", zone, from, before)
	}
	asked := "since=2026-12-31T00%3A00%3A00.000Z&until=2027-01-01T00%3A00%3A00.000Z"
	if !slices.ContainsFunc(b.urls(), func(u string) bool { return strings.Contains(u, asked) }) {
		b.t.Errorf("in %s the console has not asked for %s", zone, asked)
	}
}

// turnOfTheYear has the modules of the console write what happened on both sides of it, since
// the clock of the service cannot be set. written are both moments as they are there.
func (b *tab) turnOfTheYear(zone string, written [2]string) {
	b.t.Helper()
	got := eval[[]string](b, `(async () => {
		const [{ ago, date, time }, { budget, overTime }] = await Promise.all([import("/console/format.js"), import("/console/days.js")]);
		const edges = ["2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"];
		const until = (last, costs) => ({ currency: "USD", first_date: "2026-01-01", days: Array.from({ length: 90 }, (_, i) => {
			const day = new Date(Date.parse(last) - (89 - i) * 86_400_000).toISOString().slice(0, 10);
			return { date: day, cost: costs[day] ?? 0, tasks_completed: 0 };
		}) });
		const costs = { "2026-12-31": 7, "2027-01-01": 2 };
		const line = [...overTime(until("2027-01-01", costs)).querySelectorAll("figure:first-child title")].map((e) => e.textContent);
		const now = Date.now;
		Date.now = () => Date.parse("2027-01-02T10:00:00.000Z");
		const ages = edges.map(ago);
		Date.now = now;
		return [...edges.map(date), date("2027-01-01"), ...edges.map(time), ...line.slice(-2), ...ages,
			budget(until("2026-12-31", costs), 100).textContent, budget(until("2027-01-01", costs), 100).textContent, budget(until("2028-02-29", {}), 100).textContent];
	})()`)
	want := []string{
		"Dec 31, 2026", "Jan 1, 2027", "Jan 1, 2027", written[0], written[1], "Dec 31, 2026: $7.00", "Jan 1, 2027: $2.00", "1 day ago", "1 day ago",
		"$7 of $100 used this month (7 %), about $7 (7 %) at its end",
		"$2 of $100 used this month (2 %), about $32 (32 %) at its end", // seven in the last seven days, and thirty more to come
		"$0 of $100 used this month (0 %), about $0 (0 %) at its end",
	}
	for i, text := range got {
		got[i] = strings.Join(strings.Fields(text), " ") // before PM stands a narrow space
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("in %s the turn of the year is\n%q, want\n%q", zone, got, want)
	}
}
