package mongostore

import (
	"fmt"
	"testing"

	"orgd/domain/agent"
	"orgd/ports"
)

// BenchmarkSteps measures changes, all round trips to the server included.
func BenchmarkSteps(b *testing.B) {
	o := newOffice(b)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	b.Run("hire", func(b *testing.B) {
		for b.Loop() {
			o.hire("agent "+o.id(), "Sales")
		}
	})
	b.Run("change", func(b *testing.B) {
		for b.Loop() {
			_, err := o.Agents.Update(b.Context(), refOf(id), o.changing(id, fmt.Sprintf(`{"metadata":{"n":%q}}`, o.id())))
			o.must(err)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			_, err := o.Agents.Agent(b.Context(), refOf(id))
			o.must(err)
		}
	})
	b.Run("list 50", func(b *testing.B) {
		for b.Loop() {
			_, err := o.Agents.Agents(b.Context(), agent.Query{Limit: 50})
			o.must(err)
		}
	})
	b.Run("report 100 events", func(b *testing.B) {
		for b.Loop() {
			var counted ports.Counted
			o.must(o.appending(o.reports(id, 100), &counted)(b.Context(), o.Stores))
		}
	})
}
