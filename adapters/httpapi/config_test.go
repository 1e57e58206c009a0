package httpapi

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
)

func TestConfigValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("Default().Validate() = %v", err)
	}
	for what, change := range map[string]func(*Config){
		"any address":  func(c *Config) { c.Addr = ":0" },
		"IPv6":         func(c *Config) { c.Addr = "[::1]:8080" },
		"TLS":          func(c *Config) { c.TLSCert, c.TLSKey = "a", "b" },
		"proxies":      func(c *Config) { c.TrustedProxies = []string{"10.0.0.0/8", "::1", "127.0.0.1"} },
		"origins":      func(c *Config) { c.CORSOrigins = []string{"https://a.example", "http://localhost:3000"} },
		"error pages":  func(c *Config) { c.ErrorDocsURL = "https://docs.example/errors?lang=en" },
		"longest work": func(c *Config) { c.RequestTimeout = maxRequestTimeout },
	} {
		c := Default()
		if change(&c); c.Validate() != nil {
			t.Errorf("%s: Validate = %v, want nil", what, c.Validate())
		}
	}
}

func TestConfigMistakes(t *testing.T) {
	for what, tt := range map[string]struct {
		change func(*Config)
		names  string
	}{
		"no port":           {func(c *Config) { c.Addr = "localhost" }, "--addr"},
		"port in words":     {func(c *Config) { c.Addr = "localhost:http" }, "--addr"},
		"port too high":     {func(c *Config) { c.Addr = "localhost:65536" }, "--addr"},
		"certificate only":  {func(c *Config) { c.TLSCert = "a" }, "--tls-cert"},
		"key only":          {func(c *Config) { c.TLSKey = "a" }, "--tls-key"},
		"relative docs":     {func(c *Config) { c.ErrorDocsURL = "/errors" }, "--error-docs-url"},
		"docs with anchor":  {func(c *Config) { c.ErrorDocsURL = "https://a/#b" }, "--error-docs-url"},
		"no docs":           {func(c *Config) { c.ErrorDocsURL = "" }, "--error-docs-url"},
		"proxies of both":   {func(c *Config) { c.TrustedProxies = []string{"::ffff:10.0.0.0/95"} }, `--trusted-proxies: "::ffff:10.0.0.0/95" has fewer than 96 bits`},
		"proxy name":        {func(c *Config) { c.TrustedProxies = []string{"proxy"} }, "--trusted-proxies"},
		"any origin":        {func(c *Config) { c.CORSOrigins = []string{"*"} }, "--cors-origins"},
		"origin pattern":    {func(c *Config) { c.CORSOrigins = []string{"https://*.example"} }, "--cors-origins"},
		"origin with path":  {func(c *Config) { c.CORSOrigins = []string{"https://a.example/"} }, "--cors-origins"},
		"origin with query": {func(c *Config) { c.CORSOrigins = []string{"https://a.example?x"} }, "--cors-origins"},
		"origin in caps":    {func(c *Config) { c.CORSOrigins = []string{"https://A.example"} }, "--cors-origins"},
		"origin with user":  {func(c *Config) { c.CORSOrigins = []string{"https://u@a.example"} }, "--cors-origins"},
		"no origin":         {func(c *Config) { c.CORSOrigins = []string{""} }, "--cors-origins"},
		"opaque origin":     {func(c *Config) { c.CORSOrigins = []string{"null"} }, "--cors-origins"},
		"no time":           {func(c *Config) { c.RequestTimeout = 0 }, "--request-timeout"},
		"no long time":      {func(c *Config) { c.OrganizationTimeout = 0 }, "--organization-timeout"},
		"no document":       {func(c *Config) { c.OrganizationMaxBody = 0 }, "--organization-max-body"},
		"too much time":     {func(c *Config) { c.RequestTimeout = maxRequestTimeout + 1 }, "--request-timeout"},
		"negative delay":    {func(c *Config) { c.DrainDelay = -1 }, "--drain-delay"},
		"no shutdown":       {func(c *Config) { c.ShutdownTimeout = 0 }, "--shutdown-timeout"},
	} {
		c := Default()
		tt.change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tt.names) {
			t.Errorf("%s: Validate = %v, want a mistake of %s", what, err, tt.names)
		}
	}
}

// All mistakes are reported at once.
func TestConfigReportsEveryMistake(t *testing.T) {
	c := Config{TLSCert: "a", TrustedProxies: []string{"x", "y"}, CORSOrigins: []string{"z"}, DrainDelay: -time.Second}
	if got := strings.Count(c.Validate().Error(), "\n") + 1; got != 11 {
		t.Errorf("Validate reports %d mistakes, want 11: %v", got, c.Validate())
	}
}

func TestNewRefuses(t *testing.T) {
	if s, err := New(Config{}, Parts{CursorKey: make(CursorKey, MinCursorKey)}, zap.NewNop()); err == nil {
		t.Errorf("New(no configuration) = %v", s)
	}
	if s, err := New(Default(), Parts{CursorKey: make(CursorKey, MinCursorKey-1)}, zap.NewNop()); err == nil {
		t.Errorf("New(short cursor key) = %v", s)
	}
}
