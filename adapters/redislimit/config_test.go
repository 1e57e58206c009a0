package redislimit

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/memlimit"
	"orgd/test/process"
)

func TestValidate(t *testing.T) {
	c := Default()
	c.Addrs, c.Prefix, c.Timeout = []string{"localhost"}, "", time.Minute
	const want = "--redis-prefix: must be 1 to 32 of a-z, A-Z, 0-9, -, _, . and :\n--redis-timeout: must be 5ms to 1s"
	if err := c.Validate(); err == nil || err.Error() != want {
		t.Errorf("Validate = %v, want %q", err, want)
	}
	c.Prefix, c.Timeout = "p", time.Second
	if err := c.Validate(); err != nil {
		t.Errorf("Validate = %v, want nil", err)
	}
}

// Files that cannot be used are a mistake of the operator; an unreachable Redis is
// none.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	for label, change := range map[string]func(*Config){
		"invalid":             func(c *Config) { c.Prefix = "" },
		"missing authority":   func(c *Config) { c.CAFile = missing },
		"empty authority":     func(c *Config) { c.CAFile = empty },
		"missing certificate": func(c *Config) { c.CertFile, c.KeyFile = missing, missing },
	} {
		t.Run(label, func(t *testing.T) {
			cfg := config("rediss://" + process.FreeAddr(t))
			cfg.Timeout = Default().Timeout
			change(&cfg)
			if _, _, err := Open(cfg, memlimit.New(memlimit.Uptime()), nil, zap.NewNop()); err == nil {
				t.Error("Open = nil, want an error")
			}
		})
	}
	t.Run("unreachable", func(t *testing.T) {
		cfg := config(process.FreeAddr(t))
		cfg.Timeout = Default().Timeout
		l, stop, err := Open(cfg, memlimit.New(memlimit.Uptime()), nil, zap.NewNop())
		if err != nil {
			t.Fatalf("Open = %v, want a limiter that decides without Redis", err)
		}
		defer stop()
		if l.Shared() {
			t.Error("Shared() = true without a Redis")
		}
	})
}
