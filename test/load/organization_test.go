package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	for _, form := range []struct{ name, mediaType string }{{"JSON", "application/json"}, {"YAML", "application/yaml"}} {
		whole := s.document(http.MethodGet, "/organization", form.mediaType, nil)
		b.Run("Export/"+form.name, func(b *testing.B) {
			for b.Loop() {
				s.document(http.MethodGet, "/organization", form.mediaType, nil)
			}
			b.ReportMetric(float64(len(whole))/(1<<20), "MiB")
		})
		if form.name == "JSON" {
			var answer struct{ Data json.RawMessage }
			if err := json.Unmarshal(whole, &answer); err != nil {
				b.Fatal(err)
			}
			whole = answer.Data
		}
		b.Run("Plan/"+form.name, func(b *testing.B) {
			for b.Loop() {
				if plan := s.document(http.MethodPost, "/organization/plan", form.mediaType, whole); !bytes.Contains(plan, []byte(`"changes":[]`)) {
					b.Fatalf("plan = %.200s, want no changes", plan)
				}
			}
		})
	}
}

// document sends a request, which has to succeed, for or with a document of a
// media type.
func (s *service) document(method, path, mediaType string, body []byte) []byte {
	s.Helper()
	r := s.request(method, path, body)
	if r.Header.Set("Accept", mediaType); body != nil {
		r.Header.Set("Content-Type", mediaType)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		s.Fatalf("%s %s = %d %.500s", method, path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}
