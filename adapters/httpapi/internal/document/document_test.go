package document

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// split reads a document as a request's body is read.
func split(text string) (*organization.Document, *Body, error) {
	s := request.NewSpool()
	if _, err := s.Write([]byte(text)); err != nil {
		return nil, nil, err
	}
	return read(s, false)
}

// A part that is too large is named with the bound and its size.
func TestPartsOfDocumentsAreBounded(t *testing.T) {
	long := strings.Repeat("x", maxEntry)
	for text, want := range map[string]string{
		`{"format":1,"agents":[{"name":"` + long + `"}]}`: "agents[0]: must be at most 1048576 bytes, it has 1048587",
		`{"format":1,"company":"` + long:                  "company: must be at most 1048576 bytes, it has 1048577",
	} {
		_, _, err := split(text)
		if fault.Of(err).Code != fault.RequestValidation || err.Error() != want {
			t.Errorf("read(%.40q...) = %v, want %q", text, err, want)
		}
	}
}

// An agent is read again as it stands in the document.
func TestEntriesAreReadAgain(t *testing.T) {
	texts := []string{"", "a", "l1\nl2\n", "- x", "# y", "a: b", "}", "]", `"`, `\`, "{", "'", "é\n\n z\n", "---", "..."}
	rapid.Check(t, func(t *rapid.T) {
		w := jsondoc.NewWriter(nil)
		w.Open()
		w.Field("format").Int(1)
		w.Field("agents").OpenList()
		for i := range rapid.IntRange(0, 5).Draw(t, "agents") {
			w.Open()
			w.Field("name").Text(fmt.Sprint("agent ", i))
			w.Field("instructions").Text(rapid.SampledFrom(texts).Draw(t, "text"))
			w.Field("metadata").Open()
			for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom(texts), 0, 3, rapid.ID).Draw(t, "keys") {
				w.Field(k).OpenList()
				w.Text(rapid.SampledFrom(texts).Draw(t, "value"))
				w.Null()
				w.CloseList()
			}
			w.Close()
			w.Close()
		}
		w.CloseList()
		w.Field("company").Open()
		w.Field("company_name").Text("n" + rapid.SampledFrom(texts).Draw(t, "company"))
		w.Close()
		w.Close()
		whole, err := jsondoc.Parse(w.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		pretty := strings.NewReplacer(`,"`, ",\n \t\"", `":`, "\" : ").Replace(whole.String())
		if p, err := jsondoc.Parse([]byte(pretty)); err != nil || !p.Equal(whole) {
			pretty = whole.String() // the replacer hit a text
		}
		agents, _ := whole.Get("agents")
		for what, text := range map[string]string{"JSON": whole.String(), "pretty JSON": pretty} {
			doc, body, err := split(text)
			if err != nil || len(doc.Agents) != len(agents.Items()) || doc.Company == nil {
				t.Fatalf("%s: %v of\n%s", what, err, text)
			}
			for i, want := range agents.Items() {
				got, err := body.Agent(i)
				if err != nil || !got.Equal(want) {
					t.Fatalf("%s: Agent(%d) = %s, %v, want %s of\n%s", what, i, got, err, want, text)
				}
			}
		}
	})
}

// Every byte string is read or refused as wrong by itself.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`{"format":1,"agents":[{"name":"a"}],"departments":[]}`, `{"agents":{},"company":[1`, "[]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc, body, err := split(s)
		if err != nil {
			if code := fault.Of(err).Code; code != fault.RequestValidation && code != fault.Validation {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		for i := range doc.Agents {
			if _, err := body.Agent(i); err != nil {
				t.Errorf("%q: Agent(%d) = %v", s, i, err)
			}
		}
	})
}
