package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/limit"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
)

// heldClock is a clock that only a test changes.
type heldClock struct{ now time.Time }

func (c *heldClock) Now() time.Time { return c.now }

// ownToken accepts the token "good" of the service's own admin, and "half" of a browser in
// which he signed in 6 hours ago, and issues others.
type ownToken struct{ clock ports.Clock }

func (o ownToken) Authenticate(_ context.Context, token string) (session.Session, error) {
	now := o.clock.Now()
	s := session.Session{ID: "s1", Issuer: "orgd", Subject: "root", Role: access.Admin, IssuedAt: now, ExpiresAt: now.Add(time.Hour), Kind: session.ByToken}
	switch token {
	case "good":
		return s, nil
	case "half":
		s.IssuedAt, s.ExpiresAt, s.EndsBy = now.Add(-6*time.Hour), now.Add(6*time.Hour), now.Add(9*time.Hour)
		s.Kind, s.From = session.BySignIn, []string{"s0"}
		return s, nil
	}
	return session.Session{}, session.ErrUnauthorized
}
func (ownToken) Issuer() string                          { return "orgd" }
func (ownToken) Issue(s session.Session) (string, error) { return "token of " + s.Subject, nil }

// issuedSessions is a store of sessions that keeps the audit entries of what is issued.
type issuedSessions struct {
	ports.SessionStore
	audit *[]ports.Trail
}

func (s issuedSessions) Issue(ctx context.Context, made session.Session, entry ports.Trail) error {
	*s.audit = append(*s.audit, entry)
	return s.SessionStore.Issue(ctx, made, entry)
}

func (s issuedSessions) KeepLink(ctx context.Context, hash [sha256.Size]byte, l session.Link, entry ports.Trail) error {
	*s.audit = append(*s.audit, entry)
	return s.SessionStore.KeepLink(ctx, hash, l, entry)
}

// local is a server whose links a test uses.
type local struct {
	fake
	t     *testing.T
	clock *heldClock
	audit []ports.Trail
}

func newLocal(t *testing.T, proxies ...string) *local {
	t.Helper()
	return newLocalWith(t, func(c *Config) { c.TrustedProxies = proxies })
}

func newLocalWith(t *testing.T, change func(*Config)) *local {
	t.Helper()
	d := &local{t: t, clock: &heldClock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	d.fake = newFake(t, ok, func(c *Config, p *Parts) {
		own := ownToken{d.clock}
		p.Sessions = app.NewSessions(d.clock, p.IDs, system.Random{}, own, own, issuedSessions{portstest.NewMemory().Sessions, &d.audit}, nil)
		p.Caps = limit.Caps{AuthFailures: limit.Rate{Cap: 3, Length: time.Hour}}
		change(c)
		c.CORSOrigins = []string{"https://console.example.com"}
	})
	return d
}

// ask makes a request as a client on this machine does, with other headers; "Host"
// and "Peer" are among them. Who has a cookie has no token.
func (d *local) ask(method, path, body string, header ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	r := newRequest(d.t, method, path, body)
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:40000"
	for i := 0; i < len(header); i += 2 {
		switch header[i] {
		case "Host":
			r.Host = header[i+1]
		case "Peer":
			r.RemoteAddr = header[i+1]
		default:
			r.Header.Add(header[i], header[i+1])
		}
		if header[i] == "Cookie" {
			r.Header.Del("Authorization")
		}
	}
	return d.send(r)
}

const linksPath, redeemPath = "/api/v1/auth/links", "/api/v1/auth/links/redeem"

func (d *local) code() string {
	d.t.Helper()
	w := d.ask("POST", linksPath, "")
	var made struct{ Data struct{ Code string } }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 201 || w.Header().Get("Cache-Control") != "no-store" {
		d.t.Fatalf("POST /auth/links = %d %s", w.Code, w.Body)
	}
	return made.Data.Code
}

func (d *local) redeem(code string, header ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	return d.ask("POST", redeemPath, `{"code":"`+code+`"}`, header...)
}

// A link works for a client on this machine and for no other, through whatever proxies.
func TestLinksWorkHere(t *testing.T) {
	for what, tt := range map[string]struct {
		proxies string
		header  []string
		here    bool
	}{
		"direct":                           {here: true},
		"IPv6":                             {header: []string{"Peer", "[::1]:4000", "Host", "[::1]:8080"}, here: true},
		"IPv4 in IPv6":                     {header: []string{"Peer", "[::ffff:127.0.0.1]:4000"}, here: true},
		"localhost":                        {header: []string{"Host", "LocalHost:8080"}, here: true},
		"without a port":                   {header: []string{"Host", "localhost"}, here: true},
		"another loopback address":         {header: []string{"Peer", "127.8.8.8:1", "Host", "127.0.0.2:80"}, here: true},
		"own page":                         {header: []string{"Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-origin"}, here: true},
		"typed into the address":           {header: []string{"Sec-Fetch-Site", "none"}, here: true},
		"local client, trusted proxy":      {proxies: "127.0.0.0/8", header: []string{"X-Forwarded-For", "127.0.0.1"}, here: true},
		"local client, IPv6 proxy":         {proxies: "::1", header: []string{"Peer", "[::1]:1", "X-Forwarded-For", "::1"}, here: true},
		"trusted proxy's own request":      {proxies: "127.0.0.0/8", here: true},
		"another machine":                  {header: []string{"Peer", "203.0.113.9:1"}},
		"the machine next door":            {header: []string{"Peer", "192.168.1.5:1"}},
		"link-local":                       {header: []string{"Peer", "[fe80::1%lo]:1"}},
		"no address":                       {header: []string{"Peer", "@"}},
		"remote client":                    {proxies: "127.0.0.0/8", header: []string{"X-Forwarded-For", "203.0.113.9"}},
		"remote client who lies":           {proxies: "127.0.0.0/8", header: []string{"X-Forwarded-For", "127.0.0.1, 203.0.113.9"}},
		"remote among the trusted":         {proxies: "0.0.0.0/0", header: []string{"X-Forwarded-For", "127.0.0.1, 10.1.2.3"}},
		"remote client, two headers":       {proxies: "127.0.0.0/8", header: []string{"X-Forwarded-For", "203.0.113.9", "X-Forwarded-For", "127.0.0.1"}},
		"client that is not said":          {proxies: "127.0.0.0/8", header: []string{"X-Forwarded-For", "unknown"}},
		"empty client":                     {proxies: "127.0.0.0/8", header: []string{"X-Forwarded-For", ""}},
		"proxy that is not trusted":        {header: []string{"X-Forwarded-For", "127.0.0.1"}},
		"proxy of another machine":         {proxies: "10.0.0.0/8", header: []string{"Peer", "10.0.0.1:1", "X-Forwarded-For", "127.0.0.1"}},
		"proxy with another header":        {proxies: "127.0.0.0/8", header: []string{"Forwarded", "for=203.0.113.9"}},
		"proxy with a header of its own":   {header: []string{"X-Real-Ip", "203.0.113.9"}},
		"client's header before a proxy's": {header: []string{"Forwarded", "", "Forwarded", "for=203.0.113.9"}},
		"proxy with two headers":           {proxies: "127.0.0.0/8", header: []string{"X-Forwarded-For", "127.0.0.1", "X-Real-Ip", "203.0.113.9"}},
		"rebound name":                     {header: []string{"Host", "evil.example:8080"}},
		"name that begins right":           {header: []string{"Host", "localhost.evil.example"}},
		"name that looks like address":     {header: []string{"Host", "127.0.0.1.evil.example:8080"}},
		"no name":                          {header: []string{"Host", ""}},
		"name of the proxy":                {proxies: "127.0.0.0/8", header: []string{"Host", "orgd.example.com", "X-Forwarded-For", "127.0.0.1"}},
		"page of somebody else":            {header: []string{"Origin", "https://evil.example"}},
		"page of another service here":     {header: []string{"Origin", "http://127.0.0.1:3000"}},
		"page under the other name":        {header: []string{"Origin", "http://localhost:8080"}},
		"page of no origin":                {header: []string{"Origin", "null"}},
		"two origins":                      {header: []string{"Origin", "http://127.0.0.1:8080", "Origin", "https://evil.example"}},
		"origin for CORS":                  {header: []string{"Origin", "https://console.example.com"}},
		"request across sites":             {header: []string{"Sec-Fetch-Site", "cross-site"}},
		"request of the same site":         {header: []string{"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:8080"}},
	} {
		t.Run(what, func(t *testing.T) {
			d := newLocal(t, strings.Fields(tt.proxies)...)
			code := d.code()
			made, got := d.ask("POST", linksPath, "", tt.header...), d.redeem(code, tt.header...)
			if tt.here {
				if made.Code != 201 || got.Code != 201 || !strings.Contains(got.Body.String(), `"token":"token of root"`) {
					t.Errorf("make = %d %s, redeem = %d %s, want 201 of both", made.Code, made.Body, got.Code, got.Body)
				}
				return
			}
			for _, w := range []*httptest.ResponseRecorder{made, got} {
				if m := detailOf(t, w); w.Code != 403 || m.Code != 1001 || !strings.HasPrefix(m.Detail, "sign-in links work") {
					t.Errorf("answer = %d %s, want 403/1001", w.Code, w.Body)
				}
			}
			if again := d.redeem(code); again.Code != 201 {
				t.Errorf("redeem after a refusal = %d %s: it has used the link up", again.Code, again.Body)
			}
		})
	}
}

// Where the address of the service is known, links work from everywhere, and not for the
// page of somebody else.
func TestLinksOfAPublicService(t *testing.T) {
	d := newLocal(t)
	if w := d.ask("POST", linksPath, ""); !strings.Contains(w.Body.String(), `"url":null`) {
		t.Errorf("POST /auth/links of a service without an address = %d %s", w.Code, w.Body)
	}
	d = newLocalWith(t, func(c *Config) { c.PublicURL, c.Console = "https://orgd.example.com/", true })
	away := []string{"Peer", "203.0.113.9:1", "Host", "orgd.example.com"}
	w := d.ask("POST", linksPath, `{"subject":"kim","role":"viewer"}`, away...)
	_, link, _ := strings.Cut(w.Body.String(), `"url":"https://orgd.example.com/console#code=`)
	if w.Code != 201 || len(link) < 43 {
		t.Fatalf("POST /auth/links = %d %s", w.Code, w.Body)
	}
	for _, page := range []string{"https://evil.example", "null"} {
		other := append(away, "Origin", page)
		for _, w := range []*httptest.ResponseRecorder{d.ask("POST", linksPath, "", other...), d.redeem(link[:43], other...)} {
			if m := detailOf(t, w); w.Code != 403 || m.Code != 1001 {
				t.Errorf("for a page of %s: %d %s, want 403/1001", page, w.Code, w.Body)
			}
		}
	}
	for _, want := range []int{201, 401} {
		if w := d.redeem(link[:43], append(away, "Origin", "https://orgd.example.com")...); w.Code != want {
			t.Errorf("redeem = %d %s, want %d", w.Code, w.Body, want)
		}
	}
	d = newLocalWith(t, func(c *Config) { c.PublicURL = "https://orgd.example.com" })
	if w := d.ask("POST", linksPath, ""); !strings.Contains(w.Body.String(), `"url":null`) {
		t.Errorf("POST /auth/links without a console = %d %s", w.Code, w.Body)
	}
}

// A code is in nothing that is stored or sent: log, metrics, audit trail, answers.
func TestLinkCodeIsNowhere(t *testing.T) {
	d := newLocal(t)
	code, late := d.code(), d.code()
	for _, path := range []string{"/console?code=" + code, redeemPath + "?code=" + code, "/?code=" + code, linksPath + "/" + code} {
		for _, method := range []string{"GET", "HEAD"} {
			if w := d.ask(method, path, ""); w.Code == 201 || strings.Contains(w.Body.String(), code) {
				t.Errorf("%s %s = %d %s", method, path, w.Code, w.Body)
			}
		}
	}
	for _, body := range []string{`{"` + code + `":1}`, `{"code":["` + code + `"]}`, `{"code":"` + code + `"`} {
		if w := d.ask("POST", redeemPath, body); w.Code != 400 {
			t.Errorf("POST %s = %d, want 400", body, w.Code)
		}
	}
	if w := d.redeem(code); w.Code != 201 {
		t.Fatalf("redeem = %d %s: looking has used the link up", w.Code, w.Body)
	}
	d.clock.now = d.clock.now.Add(session.LinkTTL)
	wrong := strings.Repeat("x", 43)
	for _, bad := range []string{code, late, wrong} { // used, too old, unknown: the answer is the same
		w := d.redeem(bad)
		if m := detailOf(t, w); w.Code != 401 || m.Code != 1000 || m.Detail != session.ErrLink.Msg || w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("redeem = %d %s, want 401/1000", w.Code, w.Body)
		}
	}
	if w := d.redeem(wrong); w.Code != 429 || detailOf(t, w).Code != 5000 { // three failures are allowed
		t.Errorf("redeem after three failures = %d %s, want 429/5000", w.Code, w.Body)
	}
	var kept strings.Builder
	for _, e := range d.logs.All() {
		kept.WriteString(e.Message)
		if err := json.NewEncoder(&kept).Encode(e.ContextMap()); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.NewEncoder(&kept).Encode(d.audit); err != nil {
		t.Fatal(err)
	}
	kept.WriteString(d.ask("GET", "/api/v1/metrics", "").Body.String())
	for _, want := range []string{"POST /api/v1/auth/links/redeem", `"Actor":"root"`, `route="/api/v1/auth/links/redeem"`} {
		if !strings.Contains(kept.String(), want) {
			t.Errorf("what is kept lacks %s", want)
		}
	}
	for _, secret := range []string{code, late} {
		if strings.Contains(kept.String(), secret) {
			t.Errorf("the code is in\n%s", &kept)
		}
	}
}

// The root redirects browsers to the console and answers programs with links.
func TestIndex(t *testing.T) {
	off := newFake(t, ok)
	on := newFake(t, ok, func(c *Config, _ *Parts) { c.Console = true })
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for what, tt := range map[string]struct {
		fake   fake
		accept string
		want   string // the Location, or the link to the console
	}{
		"browser":                  {on, browser, "console"},
		"browser without console":  {off, browser, "docs"},
		"curl":                     {on, "*/*", `"console":"/console"`},
		"without the console":      {off, "*/*", `"console":null`},
		"program":                  {on, "application/json", `"console":"/console"`},
		"program, HTML if need be": {on, "application/json, text/html;q=0.5", `"console":"/console"`},
		"says nothing":             {on, "", `"console":"/console"`},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r := newRequest(t, method, "/", "")
			r.Header.Del("Authorization")
			if tt.accept != "" {
				r.Header.Set("Accept", tt.accept)
			}
			w := tt.fake.send(r)
			h := w.Header()
			if h.Get("Vary") != "Accept" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Request-Id") == "" {
				t.Errorf("%s: %s / has the headers %v", what, method, h)
			}
			if !strings.HasPrefix(tt.want, `"`) {
				if w.Code != 303 || h.Get("Location") != tt.want || w.Body.Len() > 0 {
					t.Errorf("%s: %s / = %d to %q, want 303 to %s", what, method, w.Code, h.Get("Location"), tt.want)
				}
				continue
			}
			whole := method == http.MethodHead || strings.Contains(w.Body.String(), tt.want) &&
				strings.Contains(w.Body.String(), `"name":"orgd","version":"v1","links":{"openapi":"/api/v1/openapi.json","docs":"/docs"`)
			if w.Code != 200 || h.Get("Content-Type") != protocol.JSON || !whole {
				t.Errorf("%s: %s / = %d %s %s, want %s", what, method, w.Code, h.Get("Content-Type"), w.Body, tt.want)
			}
		}
	}
}
