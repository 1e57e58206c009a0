package remote

import (
	"slices"
	"strings"
	"testing"
)

func TestBrowsers(t *testing.T) {
	for _, tt := range []struct{ system, vars, want string }{
		{"darwin", "", "open"},
		{"windows", "", "rundll32 url.dll,FileProtocolHandler"},
		{"linux", "", ""},
		{"linux", "DISPLAY", "xdg-open"},
		{"linux", "WAYLAND_DISPLAY", "xdg-open"},
		{"linux", "DISPLAY SSH_CONNECTION", ""},
		{"darwin", "SSH_CONNECTION", ""},
		{"darwin", "SSH_CONNECTION BROWSER", "BROWSER"},
	} {
		got := browsers(func(name string) string {
			if slices.Contains(strings.Fields(tt.vars), name) {
				return name
			}
			return ""
		}, tt.system)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("browsers(%s, %s) = %q, want %q", tt.vars, tt.system, got, tt.want)
		}
	}
}
