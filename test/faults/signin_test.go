package faults

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"orgd/test/identity"
)

// People sign in with the identity provider at replicas behind a balancer that sends each
// request to any of them. Of many who use one code at once, one is signed in.
func TestSignInAtReplicas(t *testing.T) {
	haproxy, uri := haproxy(t), mongoURI(t)
	program, err := identity.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	listener := listen(t)
	public := "http://" + listener.Addr().String()
	provider := identity.Start(t, program, public)
	c := startCluster(t, 3, uri, append(provider.Flags(), "--console")...)
	b := balanceAt(t, listener, haproxy, c.token, c.urls()...)
	for _, url := range c.urls() {
		identity.AwaitProvider(t, url)
	}
	for range 3 {
		for _, user := range []string{"ann", "ed", "dora"} {
			p := identity.NewPerson(t, public)
			p.SignIn(user)
			for range 6 {
				if r := p.Console("GET", "/api/v1/auth/me", ""); r.StatusCode != 200 || !strings.Contains(r.Text, `"`+provider.URL+"|"+user+`"`) {
					t.Fatalf("%s is %d %s", user, r.StatusCode, r.Text)
				}
			}
			if r := p.Console("POST", "/api/v1/auth/logout", ""); r.StatusCode != 204 {
				t.Errorf("%s signs out: %d %s", user, r.StatusCode, r.Text)
			}
		}
		redeemAtOnce(t, public)
	}
	b.wantSmooth(t.Errorf)
}

// redeemAtOnce has 20 requests of one browser use its code at once.
func redeemAtOnce(t *testing.T, public string) {
	t.Helper()
	p := identity.NewPerson(t, public)
	page := p.Begin("")("ann")
	var cookies []string
	for _, c := range p.Jar.Cookies(page.Request.URL) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	got := map[int]int{}
	for range 20 {
		all.Go(func() {
			r, err := http.NewRequest("POST", public+"/console/session", strings.NewReader(`{"code":"`+page.Code()+`"}`))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header = http.Header{"Content-Type": {"application/json"}, "Orgd-Console": {"1"}, "Cookie": {strings.Join(cookies, "; ")}}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			got[answer.StatusCode]++
		})
	}
	all.Wait()
	if got[200] != 1 || got[401] != 19 {
		t.Errorf("20 requests with one code got %v, want 1 × 200 and 19 × 401", got)
	}
}
