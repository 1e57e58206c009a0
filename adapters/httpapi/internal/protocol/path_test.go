package protocol

import "testing"

func TestUnescapeUnreserved(t *testing.T) {
	for path, want := range map[string]string{
		"":                                     "",
		"/api/v1/agents":                       "/api/v1/agents",
		"/agents/Ada/%76ersions":               "/agents/Ada/versions",
		"/agents/a%2Fb%2fc":                    "/agents/a%2Fb%2fc",
		"/agents/%41%7E%2e":                    "/agents/A~.",
		"/agents/%25%34%31":                    "/agents/%2541",
		"/agents/%C3%89":                       "/agents/%C3%89",
		"/departments/%24ne/ceremony%2Dpolicy": "/departments/%24ne/ceremony-policy",
	} {
		if got := UnescapeUnreserved(path); got != want {
			t.Errorf("UnescapeUnreserved(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestHasEmptySegment(t *testing.T) {
	for path, want := range map[string]bool{
		"/": false, "//": true, "/a": false, "/a/": true, "//a": true, "/a//b": true, "/a/b": false, "/a/%2F": false, "": false, "/a/%20": false,
	} {
		if got := HasEmptySegment(path); got != want {
			t.Errorf("HasEmptySegment(%q) = %v, want %v", path, got, want)
		}
	}
}
