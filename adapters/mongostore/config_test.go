package mongostore

import (
	"strings"
	"testing"
	"time"
)

func TestConfigValidate(t *testing.T) {
	valid := Default()
	valid.URI = "mongodb://host:27017"
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   []string // parts of the error
	}{
		{"valid", func(*Config) {}, nil},
		{"several hosts", func(c *Config) { c.URI = "mongodb://u:p@a:1,b:2/?replicaSet=r" }, nil},
		{"looked up", func(c *Config) { c.URI = "mongodb+srv://u:p@cluster.example" }, nil},
		{"empty", func(c *Config) { *c = Config{} }, []string{
			"--mongo-uri: is required", "--mongo-database", "--mongo-connect-timeout", "--mongo-operation-timeout", "--mongo-max-pool",
		}},
		{"other scheme", func(c *Config) { c.URI = "http://u:s3cret@host" }, []string{"--mongo-uri"}},
		{"escape", func(c *Config) { c.URI = "mongodb://u:s3cret%zz@host" }, []string{"--mongo-uri"}},
		{"port", func(c *Config) { c.URI = "mongodb://u:s3cret@host:s3cret" }, []string{"--mongo-uri"}},
		{"database", func(c *Config) { c.Database = "a.b" }, []string{"--mongo-database"}},
		{"slow", func(c *Config) { c.OperationTimeout = time.Minute }, []string{"--mongo-operation-timeout"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := valid
			test.change(&c)
			err := c.Validate()
			if (err != nil) != (test.want != nil) {
				t.Fatalf("Validate = %v, want %v", err, test.want)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("Validate = %v, want %q in it", err, part)
				}
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("Validate = %v, which tells the password", err)
			}
		})
	}
}
