package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
)

// BenchmarkBrowsers compares reads of an agent by the console of somebody who is
// signed in with the same reads by a program.
func BenchmarkBrowsers(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "data")
	token, all := settle(b, dir, 2000)
	p := serve(b, dir, token)
	signedIn := *p
	signedIn.credentials = p.signIn(b, token)
	beside(b, asked{p.side(), http.StatusOK, p.gets(all)}, asked{p.side(), http.StatusOK, signedIn.gets(all)})
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
