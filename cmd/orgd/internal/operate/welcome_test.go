package operate

import (
	"testing"

	"orgd"
)

// An address that means all of a machine is no place to connect to.
func TestLocalURL(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:8080":   "http://localhost:8080",
		"[::]:8080":      "http://localhost:8080",
		":8080":          "http://localhost:8080",
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		"orgd:8080":      "http://orgd:8080",
	} {
		if got := LocalURL(orgd.Default(), addr); got != want {
			t.Errorf("localURL(%s) = %s, want %s", addr, got, want)
		}
	}
}
