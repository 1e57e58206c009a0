package protocol

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"orgd/domain/revision"
)

var (
	current = revision.Tag{ID: "0190", Revision: 7}
	absent  = revision.Tag{}
)

// incarnation is that of the tags in these tests.
const incarnation = "5e0c"

// parse reads If-Match headers, in whose texts the incarnation is left out.
func parse(values ...string) (revision.Condition, error) {
	h := http.Header{"If-Match": nil}
	for _, text := range values {
		h["If-Match"] = append(h["If-Match"], strings.ReplaceAll(text, `"019`, `"`+incarnation+`:019`))
	}
	return ParseIfMatch(h, incarnation)
}

func TestParseIfMatch(t *testing.T) {
	for text, match := range map[string]bool{
		`*`:                               true,
		` * `:                             true,
		`"0190.7"`:                        true,
		` "0190.7" `:                      true,
		`"0190.7.d19e57"`:                 true,
		`"0190.7.0190-aa"`:                true,
		`"x", "0190.7"`:                   true,
		`"x","y" ,	"0190.7"`:              true,
		`,"0190.7",,`:                     true,
		`W/"x", "0190.7"`:                 true,
		`"0190.6"`:                        false,
		`"0190.8"`:                        false,
		`"0190.07"`:                       false,
		`"0190.+7"`:                       false,
		`"0191.7"`:                        false,
		`"0190"`:                          false,
		`"0190.7.a.b"`:                    false,
		`""`:                              false,
		`"*"`:                             false,
		`W/"0190.8"`:                      false,
		`W/"0190"`:                        false,
		`"0190.7-x"`:                      false,
		`"0190.7."`:                       false,
		`"0190.7.d19e57-x"`:               false,
		`"0190.7gzip"`:                    false,
		`"0190.7-gzip-x"`:                 false,
		`"0190.7---gzip"`:                 false,
		`"0190.7-GZIP"`:                   false,
		`"-gzip"`:                         false,
		`"0190.-7"`:                       false,
		`"0190.9999999999999999999999.x"`: false,
		`"5e0d:0190.7"`:                   false,
		`"5e0c0190.7"`:                    false,
		`":0190.7"`:                       false,
		"\"caf\xc3\xa9\"":                 false,
	} {
		c, err := parse(text)
		if err != nil || !c.IsSet() {
			t.Errorf("ParseIfMatch(%q) = %+v, %v, want a condition", text, c, err)
			continue
		}
		if got := c.Check(current) == nil; got != match {
			t.Errorf("ParseIfMatch(%q) matches = %v, want %v", text, got, match)
		}
		if c.Check(absent) == nil {
			t.Errorf("ParseIfMatch(%q) matches what does not exist", text)
		}
	}
}

// markedForms are the forms in which a compressing proxy may pass on a tag.
func markedForms(tag string) []string {
	forms := []string{"W/" + tag}
	for _, marker := range []string{"-", ";", "--"} {
		for _, coding := range []string{"gzip", "br", "deflate", "zstd"} {
			marked := strings.TrimSuffix(tag, `"`) + marker + coding + `"`
			forms = append(forms, marked, "W/"+marked)
		}
	}
	return forms
}

// A tag that a compressing proxy has marked names the revision that it named before.
func TestMarkedTags(t *testing.T) {
	for _, digest := range []string{"", "d19e57"} {
		tag, older := In(incarnation, ETag(current, digest)), In(incarnation, ETag(revision.Tag{ID: current.ID, Revision: 6}, digest))
		for _, form := range markedForms(tag) {
			for _, text := range []string{form, `"x", ` + form, form + `,W/"x"`} {
				if c, err := parse(text); err != nil || c.Check(current) != nil {
					t.Errorf("ParseIfMatch(%q) = %+v, %v, want a match", text, c, err)
				}
				if !ClientHas(http.Header{"If-None-Match": {text}}, tag) {
					t.Errorf("ClientHas(%q, %s) = false, want true", text, tag)
				}
			}
		}
		for _, form := range markedForms(older) {
			if c, err := parse(form); err != nil || c.Check(current) == nil {
				t.Errorf("ParseIfMatch(%q) = %+v, %v, want no match", form, c, err)
			}
			if ClientHas(http.Header{"If-None-Match": {form}}, tag) {
				t.Errorf("ClientHas(%q, %s) = true, want false", form, tag)
			}
		}
	}
}

// A condition that fails says what is wrong with its tags.
func TestIfMatchSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		`"0190.6"`:              "has changed since it was read",
		`W/"0190.6-gzip", "x"`:  "has changed since it was read",
		`"0191.7"`:              "tags of other resources",
		`W/"x", "0191.7.d"`:     "tags of other resources",
		`W/"x"`:                 "no tag that this service made",
		`"5e0d:0190.7"`:         "from before a restore or under another cursor key",
		`"5f2-gzip", "*", "0."`: "no tag that this service made",
	} {
		c, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(current); !errors.Is(err, revision.ErrStale) || !strings.Contains(err.Error(), want) {
			t.Errorf("If-Match %s: %v, want %q", text, err, want)
		}
	}
}

// A header that cannot be read is never "no guard".
func TestParseIfMatchRefuses(t *testing.T) {
	for _, values := range [][]string{
		{""}, {" "}, {","}, {",,"}, {`0190.7`}, {`"0190.7`}, {`0190.7"`}, {`'0190.7'`}, {`"a""b"`}, {`"a" "b"`},
		{`*, "0190.7"`}, {`"0190.7", *`}, {"*", "*"}, {`w/"0190.7"`}, {`W/`}, {`W/0190.7`}, {`W/ "0190.7"`},
		{`"a b"`}, {"\"a\tb\""}, {"\"a\x7f\""}, {`"0190.7"`, `oops`}, {`"0190.7";x`},
	} {
		if c, err := parse(values...); !errors.Is(err, errIfMatch) {
			t.Errorf("ParseIfMatch(%q) = %+v, %v, want errIfMatch", values, c, err)
		}
	}
}

func TestParseIfMatchAbsent(t *testing.T) {
	c, err := ParseIfMatch(http.Header{}, incarnation)
	if err != nil || c.IsSet() {
		t.Errorf("ParseIfMatch() = %+v, %v, want no condition", c, err)
	}
}

// Two headers are one list.
func TestParseIfMatchJoins(t *testing.T) {
	c, err := parse(`"x"`, `"0190.7"`)
	if err != nil || c.Check(current) != nil {
		t.Errorf("ParseIfMatch(two headers) = %+v, %v, want a match", c, err)
	}
}

func TestEtagRoundTrip(t *testing.T) {
	for _, digest := range []string{"", "00ff"} {
		tag := In(incarnation, ETag(current, digest))
		c, err := parse(tag)
		if err != nil || c.Check(current) != nil {
			t.Errorf("ParseIfMatch(ETag(%v, %q)) = %+v, %v, want a match", current, digest, c, err)
		}
		if !ClientHas(http.Header{"If-None-Match": {tag}}, tag) {
			t.Errorf("ClientHas(%s) = false, want true", tag)
		}
	}
}

func TestClientHas(t *testing.T) {
	const tag = `"0190.7.d"`
	for text, want := range map[string]bool{
		`"0190.7.d"`:           true,
		`W/"0190.7.d"`:         true,
		`"x", W/"0190.7.d"`:    true,
		`*`:                    true,
		`"0190.7"`:             false,
		`"0190.7.e"`:           false,
		`"0190.6.d"`:           false,
		``:                     false,
		`0190.7.d`:             false,
		`"0190.7.d`:            false,
		`"0190.7.d", nonsense`: false,
		`*, "0190.7.d"`:        false,
	} {
		if got := ClientHas(http.Header{"If-None-Match": {text}}, tag); got != want {
			t.Errorf("ClientHas(%q, %s) = %v, want %v", text, tag, got, want)
		}
	}
	if ClientHas(http.Header{}, tag) {
		t.Error("ClientHas() = true, want false")
	}
}

func TestParseCreateOnly(t *testing.T) {
	if only, err := ParseCreateOnly(http.Header{}); only || err != nil {
		t.Errorf("ParseCreateOnly() = %v, %v, want false", only, err)
	}
	if only, err := ParseCreateOnly(http.Header{"If-None-Match": {" * "}}); !only || err != nil {
		t.Errorf("ParseCreateOnly(*) = %v, %v, want true", only, err)
	}
	for _, text := range []string{"", `"x"`, "*, *", `W/"x"`} {
		if only, err := ParseCreateOnly(http.Header{"If-None-Match": {text}}); !errors.Is(err, errIfNoneMatch) {
			t.Errorf("ParseCreateOnly(%q) = %v, %v, want errIfNoneMatch", text, only, err)
		}
	}
}

// Whatever is sent, it is an error or a condition, and only a tag of the current state, or
// "*", fulfils it.
func FuzzIfMatch(f *testing.F) {
	for _, seed := range []string{`*`, `"5e0c:0190.7"`, `W/"5e0c:0190.7", "x"`, ``, `"5e0c:0190.7`, `"5e0c:0190.7.d"`, `,,"",`, `W/"5e0c:0190.7--gzip"`, `"5e0c:0190.7;br"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseIfMatch(http.Header{"If-Match": {text}}, incarnation)
		if err != nil {
			if !errors.Is(err, errIfMatch) || c.IsSet() {
				t.Errorf("ParseIfMatch(%q) = %+v, %v", text, c, err)
			}
			return
		}
		if !c.IsSet() {
			t.Errorf("ParseIfMatch(%q) is no guard", text)
		}
		named := strings.TrimSpace(text) == "*"
		for _, beginning := range []string{`"5e0c:0190.7"`, `"5e0c:0190.7.`, `"5e0c:0190.7-`, `"5e0c:0190.7;`} {
			named = named || strings.Contains(text, beginning)
		}
		if c.Check(current) == nil && !named {
			t.Errorf("ParseIfMatch(%q) matches %v", text, current)
		}
	})
}
