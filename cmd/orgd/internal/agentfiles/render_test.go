package agentfiles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	goccy "github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"orgd/client"
	"orgd/domain/identity"
)

// awkward are texts that YAML and TOML have to quote.
var awkward = []string{
	"plain words", "a: b", "# no comment", "- item", "? x", "yes", "No", "null", "~", "1.0", "007", "1e3", "0x1f", "1:30", "2026-01-02", "", " begins", "ends ",
	"\n", "two\nlines", "two\nlines\n\n", "\n  first\n\nlast", "\ttab", "a\tb", "---", "one\n---\ntwo", "...", "%x", "@x", "`x`", "{a: b}", "[x", "*a", "&a", "!t", "|", ">", "<<",
	"\"q\"", "'q'", "it's", "back\\slash", "\"\"\"", "'''", "{{x}}", "Zoë", "名前\n次", "👩‍🚀", "a\u0085b", "a\u2028b", "x\u00a0y", "\ufeffx", "\u202ex", "trailing \nspace", "a#b", "a:b", "k: |\n  x", "\u0007",
}

func texts() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(awkward), rapid.SampledFrom(awkward), rapid.StringN(0, 20, -1))
}

// lines are texts on one line, which may be keys.
func lines() *rapid.Generator[string] {
	return texts().Filter(func(s string) bool { return !strings.ContainsAny(s, "\r\n\u0085\u2028\u2029") })
}

// values are those that the metadata of an agent may have, nulls aside.
func values(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return rapid.Bool().Draw(t, "bool")
		case 1:
			return json.Number(rapid.SampledFrom([]string{"0", "-1", "3000", "0.5", "12345678901234567", "-0.125", "1000000"}).Draw(t, "number"))
		case 2:
			if depth > 0 {
				return append([]any{}, rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "list")...)
			}
		case 3:
			if depth > 0 {
				return rapid.MapOfN(lines(), values(depth-1), 0, 3).Draw(t, "object")
			}
		}
		return texts().Draw(t, "text")
	})
}

// identities are agents that files can say, but for what the formats have no key for.
func identities() *rapid.Generator[client.AgentIdentity] {
	names := rapid.SampledFrom([]string{"Ada", "dr. Ada", "Zoë", "名前", "yes", "007", "a: b", "# x", "it's \"q\"", "R&D"})
	tools := rapid.SampledFrom([]string{"Read", "Bash(git add:*, git log:*)", "mcp__x__*", "*", "no", "a: b", "1.0", "edit", "Grep"})
	keys := []string{"color", "hooks", "a.b", "tools", "model", "Model", "on", "permission", "permissionMode", "sandbox_mode"}
	return rapid.Custom(func(t *rapid.T) client.AgentIdentity {
		all := rapid.SliceOfNDistinct(tools, 0, 5, rapid.ID).Draw(t, "tools")
		cut := rapid.IntRange(0, len(all)).Draw(t, "allowed")
		var is client.AgentIdentity
		if err := json.Unmarshal([]byte(identity.Default().Canonical()), &is); err != nil {
			t.Fatal(err)
		}
		is.ID, is.HiringDate = "0198c7a4-0000-7000-8000-000000000001", "2026-01-02"
		is.Name, is.Role, is.Department = names.Draw(t, "name"), names.Draw(t, "role"), names.Draw(t, "department")
		is.Description, is.Instructions = texts().Draw(t, "description"), texts().Draw(t, "begin")+"\n"+texts().Draw(t, "end")
		is.Tools.Allowed, is.Tools.Denied = all[:cut:cut], all[cut:]
		is.Metadata = rapid.MapOfN(rapid.OneOf(rapid.SampledFrom(keys), lines()), values(2), 0, 5).Draw(t, "metadata")
		if rapid.Bool().Draw(t, "restricted") {
			is.Tools.AccessLevel = "restricted"
		}
		if rapid.Bool().Draw(t, "has model") {
			is.Model = &client.Model{Provider: "acme", ModelID: rapid.SampledFrom([]string{"m", "a/b:c", "1.0"}).Draw(t, "model"), Temperature: "0.7", MaxTokens: 4096}
			if rapid.Bool().Draw(t, "set") {
				is.Model.Temperature, is.Model.MaxTokens = "0.25", 9
			}
		}
		return is
	})
}

var formats = []Format{ClaudeCode, Codex, Copilot, OpenCode}

// unsayable says for what a format has no key. A key of the metadata that means something
// else, or that a format does not take, is kept by the service.
func unsayable(f Format, field string) bool {
	return strings.HasPrefix(field, "metadata.") ||
		slices.Contains(map[Format][]string{
			ClaudeCode: {"model.temperature", "model.max_tokens"},
			Codex:      {"model.temperature", "model.max_tokens", "tools.allowed", "tools.denied"},
			Copilot:    {"model.temperature", "model.max_tokens", "tools.denied", "tools.access_level"},
			OpenCode:   {"tools.access_level"},
		}[f], field)
}

// What is rendered is read back as it was, in every format, and other parsers agree.
func TestRender(t *testing.T) {
	for _, f := range formats {
		t.Run(string(f), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				is := identities().Draw(t, "agent")
				file := Files(f, []client.AgentIdentity{is})[0]
				text, lacks, err := Render(f, file, is, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, field := range lacks {
					if !unsayable(f, field) && !(field == "instructions" && strings.Contains(is.Instructions, "\r")) {
						t.Errorf("Render lacks %q in\n%s", field, text)
					}
				}
				for key := range is.Metadata {
					_, known := placeOf(key, f == Codex)
					if f != Codex && !known && key != "on" && slices.Contains(lacks, "metadata."+key) && !hasCR(is.Metadata[key]) && !strings.Contains(key, "\r") {
						t.Errorf("Render lacks metadata.%s = %#v in\n%s", key, is.Metadata[key], text)
					}
				}
				tree, err := Scope{}.Read(files(map[string]string{file: string(text)}))
				if err != nil || len(tree.Agents) != 1 || tree.Agents[0].Lenient {
					t.Fatalf("Read = %+v, %v of\n%s", tree, err, text)
				}
				got, want := tree.Agents[0].Fields("acme"), fieldsOf(f, is)
				for key, value := range got["metadata"].(map[string]any) {
					if diff := cmp.Diff(is.Metadata[key], value); diff != "" {
						t.Errorf("metadata.%q (-want +got):\n%s", key, diff)
					}
				}
				delete(got, "metadata")
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" && !strings.Contains(is.Instructions, "\r") {
					t.Errorf("Fields (-want +got):\n%s\nof\n%s", diff, text)
				}
				if f != Codex {
					sameInBoth(t, string(text))
				}
			})
		})
	}
}

func hasCR(value any) bool { return strings.Contains(fmt.Sprintf("%q", value), `\r`) }

// fieldsOf returns what an import makes of the file of an agent, its metadata aside.
func fieldsOf(f Format, is client.AgentIdentity) map[string]any {
	tools := map[string]any{"allowed": is.Tools.Allowed, "denied": is.Tools.Denied}
	if is.Tools.AccessLevel == "restricted" && !unsayable(f, "tools.access_level") {
		tools["access_level"] = "restricted"
	}
	fields := map[string]any{
		"name": is.Name, "role": is.Role, "department": is.Department, "description": is.Description, "instructions": is.Instructions, "tools": tools, "model": nil,
	}
	if m := is.Model; m != nil {
		model := map[string]any{"provider": m.Provider, "model_id": m.ModelID}
		if f == OpenCode && m.MaxTokens == 9 {
			model["temperature"], model["max_tokens"] = json.Number("0.25"), json.Number("9")
		}
		fields["model"] = model
	}
	return fields
}

// sameInBoth fails if two parsers of YAML read different values.
func sameInBoth(t *rapid.T, text string) {
	src, _, _ := split(text)
	var other map[string]any
	if err := goccy.UnmarshalWithOptions([]byte(src.front), &other, goccy.Strict()); err != nil {
		t.Fatalf("a strict parser says %v of\n%s", err, text)
	}
	pairs, ok := mapping(src.front)
	if !ok {
		t.Fatalf("is no YAML:\n%s", text)
	}
	for _, p := range pairs {
		ours, _ := json.Marshal(p.value())
		theirs, _ := json.Marshal(other[p.key])
		if string(ours) != string(theirs) {
			t.Errorf("%q is %s, and %s to a strict parser, of\n%s", p.key, ours, theirs, text)
		}
	}
}
