package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
)

// BenchmarkThroughputBrowsers compares reads of an agent by the console of somebody who is
// signed in with the same reads by a program.
func BenchmarkThroughputBrowsers(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "data")
	token, all := settle(b, dir, 2000)
	p := serve(b, dir, token)
	signedIn := *p
	signedIn.credentials = p.signIn(b, token)
	var programs, browsers rounds
	for b.Loop() {
		programs.add(b, side{p.addr, p.PID()}, http.StatusOK, p.gets(all))
		browsers.add(b, side{p.addr, p.PID()}, http.StatusOK, signedIn.gets(all))
	}
	b.ReportMetric(0, "ns/op") // that of a round
	b.ReportMetric(median(browsers.work), "cpu-µs")
	b.ReportMetric(median(programs.work), "bearer-cpu-µs")
	b.ReportMetric(median(browsers.work)/median(programs.work), "×bearer-cpu")
	b.ReportMetric(median(programs.rate)/median(browsers.rate), "×bearer-time")
}

// signIn signs a browser in and returns the header lines that its requests have.
func (p *program) signIn(b *testing.B, token string) string {
	b.Helper()
	body, err := json.Marshal(map[string]string{"token": token})
	if err != nil {
		b.Fatal(err)
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, p.URL+"/console/session", bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Orgd-Console", "1")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close() // nothing of it is needed
	cookies := resp.Cookies()
	if resp.StatusCode != http.StatusOK || len(cookies) != 1 {
		b.Fatalf("POST /console/session = %d with %d cookies", resp.StatusCode, len(cookies))
	}
	return fmt.Sprintf("Cookie: %s=%s\r\nOrgd-Console: 1\r\nSec-Fetch-Site: same-origin", cookies[0].Name, cookies[0].Value)
}
