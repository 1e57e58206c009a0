package redisconn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTarget(t *testing.T) {
	for _, tc := range []struct {
		addrs  string
		master string
		want   target
	}{
		{"redis", "", target{addrs: []string{"redis:6379"}}},
		{"redis:7000", "", target{addrs: []string{"redis:7000"}}},
		{"redis://redis/2", "", target{addrs: []string{"redis:6379"}, db: 2}},
		{"redis://redis:7000/", "", target{addrs: []string{"redis:7000"}}},
		{"rediss://redis:7000", "", target{addrs: []string{"redis:7000"}, tls: true}},
		{"[::1]:7000", "", target{addrs: []string{"[::1]:7000"}}},
		{"a:1,b:2", "", target{addrs: []string{"a:1", "b:2"}, cluster: true}},
		{"rediss://a,rediss://b:2", "", target{addrs: []string{"a:6379", "b:2"}, tls: true, cluster: true}},
		{"a,b:2", "main", target{addrs: []string{"a:26379", "b:2"}}},
	} {
		t.Run(tc.addrs, func(t *testing.T) {
			c := Default()
			c.Addrs, c.MasterName = strings.Split(tc.addrs, ","), tc.master
			got, err := c.target()
			if d := cmp.Diff(tc.want, got, cmp.AllowUnexported(target{})); d != "" || err != nil {
				t.Errorf("target(%s) = %v, differs (-want +got):\n%s", tc.addrs, err, d)
			}
			if err := c.Validate(); err != nil {
				t.Errorf("Validate = %v", err)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	const hint = "must be HOST:PORT, redis://HOST:PORT/DB or rediss://HOST:PORT/DB"
	for _, tc := range []struct {
		label  string
		change func(*Config)
		want   string // lines
	}{
		{"nothing", func(c *Config) {}, ""},
		{"no address", func(c *Config) { c.Addrs = nil }, "--redis-addr: must not be empty"},
		{"empty address", func(c *Config) { c.Addrs = []string{""} }, "--redis-addr: address 1: " + hint},
		{"other scheme", func(c *Config) { c.Addrs = []string{"http://a"} }, "--redis-addr: address 1: " + hint},
		{"no port number", func(c *Config) { c.Addrs = []string{"a:b"} }, "--redis-addr: address 1: " + hint},
		{"port too great", func(c *Config) { c.Addrs = []string{"a:65536"} }, "--redis-addr: address 1: " + hint},
		{"query", func(c *Config) { c.Addrs = []string{"redis://a?password=b"} }, "--redis-addr: address 1: " + hint},
		{"database", func(c *Config) { c.Addrs = []string{"redis://a/b"} }, "--redis-addr: address 1: " + hint},
		{"login", func(c *Config) { c.Addrs = []string{"a", "redis://u:p@b"} },
			"--redis-addr: address 2: must not hold a user or a password: use --redis-username and ORGD_REDIS_PASSWORD_FILE"},
		{"mixed", func(c *Config) { c.Addrs = []string{"a", "rediss://b"} }, "--redis-addr: address 2: must have the scheme and the database of the first"},
		{"cluster with a database", func(c *Config) { c.Addrs = []string{"redis://a/1"}; c.Cluster = true }, "--redis-addr: a cluster has no databases but 0"},
		{"cluster and sentinels", func(c *Config) { c.MasterName, c.Cluster = "main", true }, "--redis-cluster, --redis-sentinel-master: exclude each other"},
		{"login of no sentinel", func(c *Config) { c.SentinelPassword = "p" }, "--redis-sentinel-master: is required with the login of a sentinel"},
		{"user without password", func(c *Config) { c.Username = "u" }, "--redis-password: is required with --redis-username"},
		{"sentinel user without password", func(c *Config) { c.MasterName, c.SentinelUsername = "main", "u" },
			"--redis-sentinel-password: is required with --redis-sentinel-username"},
		{"half a certificate", func(c *Config) { c.Addrs = []string{"rediss://a"}; c.CertFile = "f" }, "--redis-tls-cert, --redis-tls-key: both or neither"},
		{"authority without TLS", func(c *Config) { c.CAFile = "f" }, "--redis-addr: must begin with rediss:// for --redis-tls-ca and --redis-tls-cert"},
		{"prefix", func(c *Config) { c.Prefix = "{a}" }, "--redis-prefix: must be 1 to 32 of a-z, A-Z, 0-9, -, _, . and :"},
		{"several", func(c *Config) { c.Prefix, c.Username = "", "u" },
			"--redis-password: is required with --redis-username\n--redis-prefix: must be 1 to 32 of a-z, A-Z, 0-9, -, _, . and :"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			c := Default()
			c.Addrs = []string{"localhost"}
			tc.change(&c)
			got := ""
			if err := c.Validate(); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("Validate = %q, want %q", got, tc.want)
			}
		})
	}
}
