package browser

import (
	"slices"
	"testing"
)

// The line of success has for each day the share of the seven days up to it, and is left out
// where nobody has done a task.
func TestSuccessOverTime(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.consoleIn("UTC", s.token("admin", "ann"))
	captions := func(done, failed string) []string {
		return eval[[]string](b, `import("/console/days.js").then(({ overTime }) => {
			const days = Array.from({ length: 90 }, (_, i) => ({
				date: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10), cost: 0, tasks_completed: `+done+`, tasks_failed: `+failed+`,
			}));
			return [...overTime({ days, currency: "USD", first_date: days[0].date }).querySelectorAll("figcaption")].map((e) => e.textContent);
		})`)
	}
	for _, c := range []struct {
		done, failed string
		want         []string
	}{
		{"i < 80 ? 10 : 5", "i < 80 ? 0 : 5", []string{"Cost: $0.00", "Tasks done: 850, highest 10 on Jan 1, 2026", "Success: 94 %, lowest 50 % on Mar 28, 2026"}},
		{"i === 3 ? 1 : 0", "0", []string{"Cost: $0.00", "Tasks done: 1, highest 1 on Jan 4, 2026", "Success: 100 %, lowest 100 % on Jan 4, 2026"}},
		{"0", "0", []string{"Cost: $0.00", "Tasks done: 0"}},
	} {
		if got := captions(c.done, c.failed); !slices.Equal(got, c.want) {
			t.Errorf("over 90 days of %s done and %s failed are %q, want %q", c.done, c.failed, got, c.want)
		}
	}
}
