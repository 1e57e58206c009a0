package httpapi

import (
	"encoding/json"
	"net/http"
	"regexp"
	"testing"

	"orgd/adapters/httpapi/apidoc"
	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/identity"
)

// What a pattern of the description refuses the service refuses as well, and of
// If-Match it takes all that the pattern does. Control characters around a name are
// white space to the service.
func TestPatternsAreWhatIsChecked(t *testing.T) {
	var doc struct {
		Components struct {
			Parameters map[string]struct{ Schema struct{ Pattern string } }
		}
	}
	if err := json.Unmarshal(apidoc.JSON(), &doc); err != nil {
		t.Fatal(err)
	}
	matches := func(parameter, text string) bool {
		t.Helper()
		pattern := doc.Components.Parameters[parameter].Schema.Pattern
		if pattern == "" {
			t.Fatalf("%s has no pattern", parameter)
		}
		return regexp.MustCompile(pattern).MatchString(text)
	}
	for _, text := range []string{
		`*`, `"a.1"`, `W/"a.1"`, `"a", "b"`, `"a" ,	W/"b",,`, `,"a"`, `""`, `"é"`, `"a;gzip"`, "\"a\"\t",
		``, `a`, `"a`, `a"`, `"a" "b"`, `"a"b`, `*, "a"`, `**`, `w/"a"`, `W/ "a"`, `"a b"`, "\"a\x7f\"", "\"a\x01\"", `,`, ` , `, `"a"W/`, `'a'`,
	} {
		_, err := protocol.ParseIfMatch(http.Header{"If-Match": {text}}, "5e0c")
		if got := matches("IfMatch", text); got != (err == nil) {
			t.Errorf("If-Match %q: the pattern takes it: %v, the service: %v", text, got, err)
		}
	}
	for _, text := range []string{`*`, `**`, ``, `"a"`, `*,*`} {
		absent, err := protocol.ParseCreateOnly(http.Header{"If-None-Match": {text}})
		if got := matches("IfNoneMatchCreate", text); got != (absent && err == nil) {
			t.Errorf("If-None-Match %q: the pattern takes it: %v, the service: %v", text, got, err)
		}
	}
	cursors := protocol.Cursors{Key: make([]byte, MinCursorKey)}
	if c := cursors.Seal("x", protocol.Position{"é", "\xff\xfe"}); !matches("Cursor", c) || !matches("LastEventId", c) {
		t.Errorf("the patterns of cursors refuse %q", c)
	}
	for _, text := range []string{"a\x00b", "a\nb", "a\x1fb", "a\x7fb", "a\u0080b", "a\u009fb"} {
		if _, err := identity.ParseRef(text); err == nil || matches("AgentName", text) {
			t.Errorf("the name %q is taken: by the service %v, or by the pattern", text, err == nil)
		}
	}
	for _, text := range []string{"Ada", "a b", "é", "名前", "a\u200cb", "0190a5c4-0000-7000-8000-000000000001", "\U0001F600"} {
		if _, err := identity.ParseRef(text); err != nil || !matches("AgentName", text) {
			t.Errorf("the name %q is refused: by the service with %v, or by the pattern", text, err)
		}
	}
}
