package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"orgd/domain/jsondoc"
)

// crowd is a document of 10 000 agents in 100 departments: each with a prompt of
// 2 KiB, tools, a model and somebody to report to.
func crowd() []byte {
	const departments = 100
	prompt := strings.Repeat("Say what you do not know before you say what you do.\n", 40)
	w := jsondoc.NewWriter(make([]byte, 0, 32<<20))
	w.Open()
	w.Field("format").Int(1)
	w.Field("departments").OpenList()
	for d := range departments {
		w.Open()
		w.Field("name").Text(fmt.Sprintf("Department %02d", d))
		w.Field("head").Text(fmt.Sprintf("Agent %05d", d))
		w.Close()
	}
	w.CloseList()
	w.Field("agents").OpenList()
	for i := range everybody {
		w.Open()
		w.Field("name").Text(fmt.Sprintf("Agent %05d", i))
		w.Field("role").Text("Researcher")
		w.Field("department").Text(fmt.Sprintf("Department %02d", i%departments))
		w.Field("hiring_date").Text("2026-01-31")
		w.Field("instructions").Text(prompt)
		w.Field("model").Raw(`{"provider":"acme","model_id":"large"}`)
		w.Field("tools").Raw(`{"allowed":["Read","Grep","Bash"]}`)
		if i >= departments {
			w.Field("authority").Open()
			w.Field("reports_to").Text(fmt.Sprintf("Agent %05d", i/departments))
			w.Close()
		}
		w.Close()
	}
	w.CloseList()
	w.Close()
	return w.Bytes()
}

// BenchmarkOrganization measures an organization of 10 000 agents as one
// document: made on an empty service, exported, and planned when there is
// nothing to change.
func BenchmarkOrganization(b *testing.B) {
	text := crowd()
	b.Run("Apply", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := open(b)
			b.StartTimer()
			s.must(http.MethodPost, "/organization/apply", text)
		}
	})
	s := open(b)
	s.must(http.MethodPost, "/organization/apply", text)
	whole := s.must(http.MethodGet, "/organization", nil)
	b.Run("Export", func(b *testing.B) {
		for b.Loop() {
			s.must(http.MethodGet, "/organization", nil)
		}
		b.ReportMetric(float64(len(whole))/(1<<20), "MiB")
	})
	var answer struct{ Data json.RawMessage }
	if err := json.Unmarshal(whole, &answer); err != nil {
		b.Fatal(err)
	}
	b.Run("Plan", func(b *testing.B) {
		for b.Loop() {
			if plan := s.must(http.MethodPost, "/organization/plan", answer.Data); !bytes.Contains(plan, []byte(`"changes":[]`)) {
				b.Fatalf("plan = %.200s, want no changes", plan)
			}
		}
	})
}
