package jwtauth_test

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/jwtauth"
)

// valid is a configuration with one external issuer.
func valid(change func(*jwtauth.Config)) jwtauth.Config {
	o := jwtauth.DefaultOIDC()
	o.Issuer, o.Audience = "https://idp.example/realm", []string{"orgd-api"}
	cfg := jwtauth.Default()
	cfg.KeyFile, cfg.OIDC = "signing.pem", []jwtauth.OIDC{o}
	if change != nil {
		change(&cfg)
	}
	return cfg
}

// external changes the first external issuer.
func external(change func(*jwtauth.OIDC)) func(*jwtauth.Config) {
	return func(c *jwtauth.Config) { change(&c.OIDC[0]) }
}

func TestValidate(t *testing.T) {
	for what, change := range map[string]func(*jwtauth.Config){
		"unchanged":             nil,
		"no external issuer":    func(c *jwtauth.Config) { c.OIDC = nil },
		"no cache":              func(c *jwtauth.Config) { c.CacheSize = 0 },
		"HTTP on this host":     external(func(o *jwtauth.OIDC) { o.Issuer = "http://127.0.0.1:8081" }),
		"HTTP on localhost":     external(func(o *jwtauth.OIDC) { o.Issuer = "http://localhost:8081/x" }),
		"HTTP on IPv6":          external(func(o *jwtauth.OIDC) { o.Issuer = "http://[::1]:8081" }),
		"HTTP where allowed":    external(func(o *jwtauth.OIDC) { o.Issuer, o.AllowHTTP = "http://keycloak:8080", true }),
		"key set of its own":    external(func(o *jwtauth.OIDC) { o.JWKSURI = "https://keys.example/set.json" }),
		"roles":                 external(func(o *jwtauth.OIDC) { o.Roles = map[string]string{"writers": "editor"} }),
		"no leeway":             external(func(o *jwtauth.OIDC) { o.Leeway = 0 }),
		"two issuers":           func(c *jwtauth.Config) { c.OIDC = append(c.OIDC, c.OIDC[0]); c.OIDC[1].Issuer = "https://b.example" },
		"greatest leeway":       external(func(o *jwtauth.OIDC) { o.Leeway = time.Minute }),
		"people only":           external(func(o *jwtauth.OIDC) { o.Audience, o.ClientID = nil, "orgd" }),
		"several audiences":     external(func(o *jwtauth.OIDC) { o.Audience = []string{"a", "b"} }),
		"issuer without a path": external(func(o *jwtauth.OIDC) { o.Issuer = "https://idp.example" }),
	} {
		if err := valid(change).Validate(); err != nil {
			t.Errorf("%s: Validate = %v, want nil", what, err)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	for what, tt := range map[string]struct {
		change func(*jwtauth.Config)
		want   string
	}{
		"no key file":            {func(c *jwtauth.Config) { c.KeyFile = "" }, "--signing-key-file"},
		"no own issuer":          {func(c *jwtauth.Config) { c.Issuer = "" }, "--token-issuer"},
		"own issuer with a bar":  {func(c *jwtauth.Config) { c.Issuer = "a|b" }, "--token-issuer"},
		"no own audience":        {func(c *jwtauth.Config) { c.Audience = "" }, "--token-audience"},
		"negative cache":         {func(c *jwtauth.Config) { c.CacheSize = -1 }, "--token-cache-size"},
		"no issuer":              {external(func(o *jwtauth.OIDC) { o.Issuer = "" }), "--oidc-issuer: is required"},
		"same issuer twice":      {func(c *jwtauth.Config) { c.OIDC = append(c.OIDC, c.OIDC[0]) }, "named twice"},
		"own issuer as external": {func(c *jwtauth.Config) { c.Issuer = c.OIDC[0].Issuer }, "named twice"},
		"issuer is no URL":       {external(func(o *jwtauth.OIDC) { o.Issuer = "idp" }), "--oidc-issuer"},
		"issuer over HTTP":       {external(func(o *jwtauth.OIDC) { o.Issuer = "http://idp.example" }), "https"},
		"host like this one":     {external(func(o *jwtauth.OIDC) { o.Issuer = "http://localhost.example" }), "https"},
		"issuer with a query":    {external(func(o *jwtauth.OIDC) { o.Issuer = "https://idp.example?x" }), "--oidc-issuer"},
		"issuer with a password": {external(func(o *jwtauth.OIDC) { o.Issuer = "https://u:p@idp.example" }), "--oidc-issuer"},
		"issuer in a file":       {external(func(o *jwtauth.OIDC) { o.Issuer = "file:///etc" }), "--oidc-issuer"},
		"no audience":            {external(func(o *jwtauth.OIDC) { o.Audience = nil }), "--oidc-audience: is required"},
		"a client id of blanks":  {external(func(o *jwtauth.OIDC) { o.ClientID = " " }), "--oidc-client-id"},
		"a secret of nobody":     {external(func(o *jwtauth.OIDC) { o.ClientSecretFile = "x" }), "--oidc-client-secret-file: goes with --oidc-client-id"},
		"scopes without openid":  {external(func(o *jwtauth.OIDC) { o.Scopes = []string{"email"} }), "--oidc-scopes: must have openid"},
		"a scope of two words":   {external(func(o *jwtauth.OIDC) { o.Scopes = []string{"openid", "a b"} }), "--oidc-scopes"},
		"two clients": {func(c *jwtauth.Config) {
			c.OIDC[0].ClientID = "a"
			c.OIDC = append(c.OIDC, c.OIDC[0])
			c.OIDC[1].Issuer = "https://b.example"
		}, "--oidc-client-id: is given for 2 issuers"},
		"empty audience":       {external(func(o *jwtauth.OIDC) { o.Audience = []string{""} }), "--oidc-audience"},
		"one empty audience":   {external(func(o *jwtauth.OIDC) { o.Audience = []string{"a", " "} }), "--oidc-audience"},
		"any audience":         {external(func(o *jwtauth.OIDC) { o.Audience = []string{"*"} }), "--oidc-audience"},
		"keys over HTTP":       {external(func(o *jwtauth.OIDC) { o.JWKSURI = "http://idp.example/keys" }), "--oidc-jwks-uri"},
		"no role claim":        {external(func(o *jwtauth.OIDC) { o.RoleClaim = "" }), "--oidc-role-claim"},
		"no departments claim": {external(func(o *jwtauth.OIDC) { o.DepartmentsClaim = "" }), "--oidc-departments-claim"},
		"no agent claim":       {external(func(o *jwtauth.OIDC) { o.AgentClaim = "" }), "--oidc-agent-claim"},
		"unknown role":         {external(func(o *jwtauth.OIDC) { o.Roles = map[string]string{"a": "root"} }), "--oidc-role-map"},
		"no word for a role":   {external(func(o *jwtauth.OIDC) { o.Roles = map[string]string{"": "admin"} }), "--oidc-role-map"},
		"too much leeway":      {external(func(o *jwtauth.OIDC) { o.Leeway = time.Minute + 1 }), "--oidc-leeway"},
		"negative leeway":      {external(func(o *jwtauth.OIDC) { o.Leeway = -1 }), "--oidc-leeway"},
	} {
		if err := valid(tt.change).Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Validate = %v, want %q in it", what, err, tt.want)
		}
	}
}

func TestValidateReportsEverything(t *testing.T) {
	err := jwtauth.Config{OIDC: []jwtauth.OIDC{{Issuer: "https://idp.example"}}}.Validate()
	if err == nil {
		t.Fatal("Validate = nil, want mistakes")
	}
	for _, flag := range []string{"--signing-key-file", "--token-issuer", "--token-audience", "--oidc-audience", "--oidc-role-claim"} {
		if !strings.Contains(err.Error(), flag) {
			t.Errorf("Validate = %v, want %s in it", err, flag)
		}
	}
}

func TestOpenRefusesWhatValidateRefuses(t *testing.T) {
	cfg := valid(func(c *jwtauth.Config) { c.KeyFile = keyFile(t, edKey(t)) })
	own, err := jwtauth.LoadIssuer(cfg)
	if err != nil {
		t.Fatalf("LoadIssuer = %v", err)
	}
	cfg.OIDC[0].Audience = nil
	if auth, _, err := jwtauth.Open(cfg, own, newClock(), zap.NewNop()); err == nil {
		t.Errorf("Open = %v, nil, want an error about --oidc-audience", auth)
	}
}
