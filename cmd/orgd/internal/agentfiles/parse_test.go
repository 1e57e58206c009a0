package agentfiles

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// anywhere is a scope in which every file lies in a place for agents.
var anywhere = Scope{Base: "agents"}

var plainly = cmp.Options{cmpopts.IgnoreUnexported(Agent{}), cmpopts.EquateEmpty()}

// dialects are ways to write the same agent.
var dialects = map[string]string{
	"strict":    "---\nname: ada\ndescription: \"Reviews code: kindly\"\nmodel: sonnet\ntools: [Read, Grep, \"Bash(git add:*, git diff:*)\"]\n---\n\nYou review.\n",
	"commas":    "---\nname: ada\ndescription: \"Reviews code: kindly\"\nmodel: sonnet\ntools: Read, Grep, Bash(git add:*, git diff:*)\n---\nYou review.",
	"not YAML":  "---\nname: ada\ndescription: Reviews code: kindly\nmodel: sonnet\ntools: Read, Grep, Bash(git add:*, git diff:*)\n---\nYou review.",
	"list":      "---\nname: ada\ndescription: >\n  Reviews code:\n  kindly\nmodel: sonnet\ntools:\n  - Read\n  - Grep\n  - Bash(git add:*, git diff:*)\n---\nYou review.\n\n\n",
	"mapping":   "---\ntools:\n  Read: true\n  Write: false\n  Grep: true\n  Bash(git add:*, git diff:*): true\nmodel: sonnet\ndescription: 'Reviews code: kindly'\nname: ada\n---\nYou review.",
	"twice":     "---\nname: ada\ndescription: \"Reviews code: kindly\"\nmodel: sonnet\ntools: Read,, Grep, Read, Bash(git add:*, git diff:*),\n---\nYou review.",
	"other":     "---\nname: ada\ncolor: red\nversion: 1.0\nmetadata: {a: [1]}\ndescription: \"Reviews code: kindly\"\nmodel: sonnet\ntools: Read, Grep, Bash(git add:*, git diff:*)\n---\nYou review.",
	"unnamed":   "---\ndescription: \"Reviews code: kindly\"\nmodel: sonnet\ntools: Read, Grep, Bash(git add:*, git diff:*)\n---\nYou review.",
	"lines":     "\n\n---  \nname:   ada  \n\n# a comment\ndescription: Reviews code: kindly\nhooks:\n  - x: [\nmodel: sonnet\ntools: Read, Grep, Bash(git add:*, git diff:*)\n---\t\n\n\t\nYou review.   ",
	"multiline": "---\nname: ada\nbroken: a: b\ndescription: \"Reviews code:\n  kindly\"\nmodel: sonnet\ntools: [Read,\n  Grep, \"Bash(git add:*, git diff:*)\"]\n---\nYou review.",
}

func TestParseDialects(t *testing.T) {
	for name, text := range dialects {
		for end, form := range map[string]string{
			"LF": text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n"), "BOM": "\ufeff" + text,
		} {
			t.Run(name+"/"+end, func(t *testing.T) {
				got, err := anywhere.Parse("core/ada.agent.md", []byte(form))
				if err != nil {
					t.Fatalf("Parse = %v, want none", err)
				}
				want := Agent{
					Path: "core/ada.agent.md", Name: "ada", Department: "core", Description: "Reviews code: kindly", Model: "sonnet",
					Tools:   []string{"Read", "Grep", "Bash(git add:*, git diff:*)"},
					Lenient: name == "not YAML" || name == "lines" || name == "multiline",
				}
				_, want.Instructions, _ = strings.Cut(text[3:], "\n---")
				_, want.Instructions, _ = strings.Cut(strings.TrimLeft(want.Instructions, "-"), "\n")
				switch name {
				case "list":
					want.Description += "\n"
				case "mapping":
					want.Denied = []string{"Write"}
				case "other":
					want.Metadata = map[string]any{"color": "red", "version": "1.0", "metadata": map[string]any{"a": []any{json.Number("1")}}}
				case "lines":
					want.Metadata = map[string]any{"hooks": "- x: ["}
				case "multiline":
					want.Metadata = map[string]any{"broken": "a: b"}
				}
				if diff := cmp.Diff(want, got, plainly); diff != "" {
					t.Errorf("Parse (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		department string
		want       Agent
	}{
		"little": {
			"a/b c.md", "---\ndescription:\n---", "",
			Agent{Name: "b c", Department: "a"},
		},
		"inherited model": {
			"a/b.md", "---\nname: b\nmodel: inherit\ntools:\n---\n", "",
			Agent{Name: "b", Department: "a", Metadata: map[string]any{"model": "inherit", "tools": ""},
				Notes: []Mistake{{"a/b.md", 4, "tools", "a value that is null becomes an empty text"}}},
		},
		"department of the caller": {
			"a/b.md", "---\nname: b\n---\n", "Z",
			Agent{Name: "b", Department: "Z"},
		},
		"a folder that is called agents": {
			"plugins/web/Agents/b.md", "---\nname: b\n---\n", "",
			Agent{Name: "b", Department: "web"},
		},
		"not texts": {
			"a/b.md", "---\nname: 007\ndescription: true\nmodel: 4.10\ntools: [1, yes]\n---\n", "",
			Agent{Name: "007", Department: "a", Description: "true", Model: "4.10", Tools: []string{"1", "yes"}},
		},
		"everything": {
			"a/b.md", "---\nname: b\ntools: *\n---\n", "",
			Agent{Name: "b", Department: "a", Tools: []string{"*"}, Lenient: true},
		},
		"dialogues": {
			"a/b.md", "---\nname: b\ndescription: Use it. Examples:\\n\\n<example>\nuser: \"Do: it\"\nassistant: done\n</example>\n\n<example>\nuser: x\n</example>\nExamples: more\ncolor: blue\n---\n", "",
			Agent{Name: "b", Department: "a", Lenient: true,
				Description: "Use it. Examples:\\n\\n<example>\nuser: \"Do: it\"\nassistant: done\n</example>\n\n<example>\nuser: x\n</example>\nExamples: more",
				Metadata:    map[string]any{"color": "blue"}, Notes: []Mistake{{"a/b.md", 11, "Examples", "is read as text of the field before it"}}},
		},
		"dialogue without an end": {
			"a/b.md", "---\nname: b\ndescription: Use: it <example>\ntools: Read\n---\n", "",
			Agent{Name: "b", Department: "a", Lenient: true, Description: "Use: it <example>", Tools: []string{"Read"}},
		},
		"body": {
			"a/b.md", "---\nname: b\n---\n\n    indented\n\n---\nname: c\n---\n\n", "",
			Agent{Name: "b", Department: "a", Instructions: "\n    indented\n\n---\nname: c\n---\n\n"},
		},
		"dashes inside of a text": {
			"a/b.md", "---\nname: b\ndescription: |\n  one\n  ---\n  two\n---\n", "",
			Agent{Name: "b", Department: "a", Description: "one\n---\ntwo\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Scope{Base: "agents", Department: c.department}.Parse(c.path, []byte(c.text))
			if err != nil {
				t.Fatalf("Parse = %v, want none", err)
			}
			c.want.Path = c.path
			if diff := cmp.Diff(c.want, got, plainly); diff != "" {
				t.Errorf("Parse (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseMistakes(t *testing.T) {
	long := strings.Repeat("x", 8193)
	for name, c := range map[string]struct{ path, text, want string }{
		"open":           {"a/b.md", "---\nname: b\n", "a/b.md:1: front matter: no line --- ends it"},
		"no folder":      {"b.md", "---\nname: b\n---\n", "b.md:2: department: the file lies in no folder that names one; --department does"},
		"only agents":    {"agents/b.md", "---\nmodel: b\n---\n", "agents/b.md:1: department: the file lies in no folder that names one; --department does"},
		"empty name":     {"a/b.md", "---\nmodel: x\nname: \"\"\n---\n", `a/b.md:3: name: the name must not be empty`},
		"name":           {"a/b.md", "---\nname: \"a\\tb\"\n---\n", `a/b.md:2: name: the name must not contain the control character U+0009`},
		"list for text":  {"a/b.md", "---\nname: b\nmodel: [[x]]\ndescription: {a: b}\n---\n", "a/b.md:3: model: must be a text\na/b.md:4: description: must be a text"},
		"twice":          {"a/b.md", "---\nname: b\nmodel: x\nname: c\n---\n", "a/b.md:4: name: stands in line 2 already"},
		"twice, lenient": {"a/b.md", "---\nname: b\nx: a: b\nname: c\n---\n", "a/b.md:4: name: stands in line 2 already"},
		"letter case":    {"a/b.md", "---\nname: b\nTools: Read\n---\n", `a/b.md:3: Tools: unknown field, did you mean "tools"?`},
		"tools":          {"a/b.md", "---\nname: b\ntools:\n  - Read\n  -\n---\n", "a/b.md:3: tools: item 2 is empty"},
		"tool shape":     {"a/b.md", "---\nname: b\ntools: {Read: [1]}\n---\n", "a/b.md:3: tools: must be a list of names or a text with commas"},
		"tool words":     {"a/b.md", "---\nname: b\ntools: {Read: ask}\n---\n", "a/b.md:3: tools: must be a list of names or a text with commas"},
		"alias":          {"a/b.md", "---\nname: &b b\nx: [Read]\ny: &t [x]\ntools: [*b]\nmodel: *t\n---\n", "a/b.md:5: tools: must be a list of names or a text with commas"},
		"open bracket":   {"a/b.md", "---\nname: b\ntools: [Read, Write\n---\n", "a/b.md:3: tools: is not YAML: a bracket or quotes without their end, or a list with tabs"},
		"tabs":           {"a/b.md", "---\nname: b\ntools:\n\t- Read\n---\n", "a/b.md:3: tools: is not YAML: a bracket or quotes without their end, or a list with tabs"},
		"tabs, and more": {"a/b.md", "---\nname: b\ntools:\n\t- Read\n\t- Write\nmodel: x: y\n  z\n---\n", "a/b.md:3: tools: is not YAML and has several lines\na/b.md:6: model: is not YAML and has several lines"},
		"inner quotes":   {"a/b.md", "---\nname: b\ndescription: \"He says \"no\"\"\n---\n", "a/b.md:3: description: is not YAML: quotes that do not end where the text ends, or a block that is not indented"},
		"stray line":     {"a/b.md", "---\nHello there\nname: b: c\n---\n", "a/b.md:2: front matter: this line belongs to no field"},
		"UTF-16":         {"a/b.md", "\xff\xfe-\x00-\x00-\x00", "a/b.md: must be UTF-8, not UTF-16"},
		"Latin-1":        {"a/b.md", "---\nname: b\n---\n\nGr\xfc\xdfe\n", "a/b.md:5: must be UTF-8"},
		"huge":           {"a/b.md", "---\nname: b\n---\n" + strings.Repeat("x", MaxSize), "a/b.md: must be at most 262144 bytes, it has 262160"},
		"long":           {"a/b.md", "---\nname: b\n---\n\n" + strings.Repeat("x", 128<<10+1), "a/b.md:4: instructions: must be at most 131072 bytes of UTF-8 (128 KiB), not 131074"},
		"odd path":       {"a/b\n.md", "---\n", `"a/b\n.md":1: front matter: no line --- ends it`},
		"all at once": {
			"a/b.md", "---\nname: ..\ndescription: " + long + "\nmodel: " + long + "\ntools: Read, " + long + "\n---\n",
			"a/b.md:2: name: the name must not be \".\" or \"..\"\na/b.md:3: description: must be at most 8192 characters, not 8193\na/b.md:4: model.model_id: must be 1 to 256 characters, not 8193\na/b.md:5: tools.allowed[1]: must be 1 to 256 characters, not 8193",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := anywhere.Parse(c.path, []byte(c.text))
			if _, ok := errors.AsType[Mistakes](err); !ok {
				t.Fatalf("Parse = %v, want mistakes", err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("Parse (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseSkips(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", "a/b.md: lies in a folder for agents, but has no front matter; --include takes it"},
		"a page":           {"# Hello\n\n---\nname: b\n---\n", "a/b.md: lies in a folder for agents, but has no front matter; --include takes it"},
		"a large page":     {strings.Repeat("x", MaxSize+1), "a/b.md: lies in a folder for agents, but has no front matter; --include takes it"},
		"something else":   {"---\ntitle: Hello\nlayout: page\n---\n", "a/b.md: has no key that agents have"},
		"empty in front":   {"---\n---\nHello\n", "a/b.md: has no key that agents have"},
		"comment in front": {"---\n# name: b\n---\nHello\n", "a/b.md: has no key that agents have"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := anywhere.Parse("a/b.md", []byte(c.text))
			if skip, ok := errors.AsType[Skip](err); !ok || skip.Error() != c.want {
				t.Errorf("Parse = %v, want to skip: %s", err, c.want)
			}
		})
	}
}

// FuzzParse holds that every text is an agent that the service takes, a skip, or
// mistakes with places in the text; and that the same agent written in strict
// YAML is read as the same.
func FuzzParse(f *testing.F) {
	for _, text := range dialects {
		f.Add([]byte(text))
	}
	for _, text := range []string{
		"---\nname: [\n---\n", "---\ntools: {a: true, b: {}}\n---\n", "---\nname: &a b\ntools: *a\n---", "---\n<example>\nname: x\n---\n",
		"\ufeff---\r\ndescription: |\r\n  a: b\r\n---\r\n", "---\n? a\n: b\nname: x\n---\n", "---\nname: !!binary aGk=\n---\n", "---\n--- x\nname: a\n---\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := anywhere.Parse("core/ada.md", text)
		if _, skip := errors.AsType[Skip](err); skip {
			return
		}
		if err != nil {
			mistakes, ok := errors.AsType[Mistakes](err)
			if !ok || len(mistakes) == 0 {
				t.Fatalf("Parse(%q) = %v, want mistakes or a skip", text, err)
			}
			lines := 1 + strings.Count(string(text), "\n")
			for _, m := range mistakes {
				if m.Line < 0 || m.Line > lines || m.Text == "" || m.Path == "" {
					t.Errorf("Parse(%q) = %+v, want a line of 0 to %d and a text", text, m, lines)
				}
			}
			return
		}
		if unread := a.check(nil); len(unread) > 0 {
			t.Errorf("Parse(%q) = %+v, which the service refuses: %v", text, a, unread)
		}
		again, err := anywhere.Parse(a.Path, strict(t, a))
		if err != nil || !again.Same(a) || again.Lenient {
			t.Errorf("Parse(%q) = %+v, in strict YAML %+v, %v", text, a, again, err)
		}
	})
}
