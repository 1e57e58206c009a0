package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// hiddenCharacters are the controls, among them C1, and what changes the direction of
// text or does not appear.
func hiddenCharacters() (all []rune) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r < 0x20 || 0x7f <= r && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) || strings.ContainsRune("\u00ad\u180e\u200b\u2028\u2029\u2060\u2064\ufeff\U000e0041", r) {
			all = append(all, r)
		}
	}
	return all
}

// checkVisible reports characters of out that a terminal obeys, but for tabs and
// line feeds.
func checkVisible(t *testing.T, what, out string) {
	t.Helper()
	for _, r := range out {
		if r != '\n' && r != '\t' && isHidden(r) {
			t.Fatalf("%s prints %U in %q", what, r, out)
		}
	}
}

func TestVisible(t *testing.T) {
	if got := Visible("a\tb\x1b[2J\u202e\nö\u0085\xff"); got != "a\tb"+`\x1b[2J\u202e\nö\u0085�` {
		t.Errorf("Visible = %q", got)
	}
	for _, same := range []string{"می\u200cخواهم", "👩\u200d💻", "a\u0301 ±→…“”"} {
		if got := Visible(same); got != same {
			t.Errorf("Visible(%q) = %q, want it as it is", same, got)
		}
	}
}

// Everything that people read escapes hidden characters.
func TestNothingHiddenIsPrinted(t *testing.T) {
	for _, r := range hiddenCharacters() {
		text := "a" + string(r) + "b"
		var out bytes.Buffer
		p := &Terminal{Stdout: &out, Stderr: &out, Stdin: strings.NewReader("no\n"), Interactive: true}
		p.Say("said: %s", text)
		p.Fail(fmt.Errorf("failed: %s", text))
		p.Fail(Usagef("%s\n%s", text, text))
		if err := p.Confirm(t.Context(), text+"?", false); err != ErrDeclined {
			t.Fatalf("Confirm = %v", err)
		}
		g := &Progress{Out: &out}
		g.Begin(text, 2)
		g.Wait(reportEvery, text)
		g.draw()
		g.End("%s", text)
		table := p.Table()
		table.Field(text, text)
		table.Row(text)
		table.Line(text)
		table.Text(text)
		if err := table.Flush(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(EscapedLog(&out), `{"message":"`+text+"\"}\n")
		if r == '\t' || r == '\n' {
			continue
		}
		checkVisible(t, fmt.Sprintf("the terminal with %U", r), out.String())
	}
}

// JSON and YAML escape them, too, and mean the same.
func TestEscapedOutputMeansTheSame(t *testing.T) {
	for _, r := range hiddenCharacters() {
		for _, text := range []string{string(r), "a" + string(r) + "b", "first\nsecond" + string(r) + "\n", "- " + string(r) + ": #"} {
			value := map[string]any{"key": text, "k" + text: []any{text, "plain"}}
			for _, format := range []string{"json", "yaml"} {
				for _, print := range []func(OutputFlag, *Terminal) error{
					func(f OutputFlag, p *Terminal) error { return f.Print(p, value, nil) },
					func(f OutputFlag, p *Terminal) error { return f.PrintOne(p, value) },
				} {
					var out bytes.Buffer
					if err := print(OutputFlag{format}, &Terminal{Stdout: &out}); err != nil {
						t.Fatal(err)
					}
					checkVisible(t, format, out.String())
					var got map[string]any
					err := yaml.Unmarshal(out.Bytes(), &got)
					if format == "json" {
						got = nil
						err = json.Unmarshal(out.Bytes(), &got)
					}
					if err != nil || fmt.Sprint(got) != fmt.Sprint(value) {
						t.Fatalf("%s of %q = %s, which is %q, %v", format, text, out.String(), got, err)
					}
				}
			}
		}
	}
}
