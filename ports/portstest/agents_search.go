package portstest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/domain/search"
)

// search reads all pages of a search, and returns the names of those that were found.
func (w *world) search(text string, q agent.Query, limit int) (found []string) {
	w.Helper()
	in := agent.SearchQuery{Query: q, Text: must(search.Parse(text))}
	in.Limit = limit
	for {
		got, err := w.Agents.Search(w.Context(), in)
		w.wantNil("Search", err)
		if len(got.Hits) > limit {
			w.Errorf("Search found %d at once, want at most %d", len(got.Hits), limit)
		}
		for _, h := range got.Hits {
			w.want("the record of a hit", h.Record, w.agent(h.ID).Record())
			if len(h.Matches) == 0 || len(h.Matches) > search.MaxMatches {
				w.Errorf("%q has %d matches in %s", text, len(h.Matches), h.Name)
			}
			found = append(found, h.Name)
		}
		if got.Reached == nil {
			return found
		}
		in.After = got.Reached
	}
}

// has is what a search looks for, in the plainest way.
func has(a agent.Agent, text string) bool {
	c := a.Identity
	for _, in := range append([]string{c.Name.Text, c.Role, c.Description, c.Instructions}, a.Tags...) {
		if strings.Contains(name.Fold(in), name.Fold(text)) {
			return true
		}
	}
	return false
}

func (w *world) wantFound(all []agent.Agent, text string) {
	w.Helper()
	var want []string
	for _, a := range all {
		if has(a, text) {
			want = append(want, a.Name().Text)
		}
	}
	for _, limit := range []int{1, 3, 100} {
		w.want(fmt.Sprintf("Search of %q in pages of %d", text, limit), w.search(text, agent.Query{}, limit), want)
	}
}

func searchPlainText(w *world) {
	w.createDepartment("Sales")
	var all []agent.Agent
	for i, text := range []string{
		"100 % of it", "snake_case", `C:\new`, `a.*b`, `a"b"c`, "one\ntwo\r\nthree\rfour", "\u0000\u0001\u001f", "😀😁😂", "straße", "STRAẞE", "Strasse", "café", "CAFE\u0301", "bệnh", "be\u0323\u0302nh", "デプロイ", "テ\u3099フ\u309aロイ", "全額退款", "\uf98a上", "می\u200cروم", "ДОМ", "ﬁnd",
		"İstanbul", "5 \u212aelvin", "ſee", "\u202eabc\u2066", "^a$b(c)[d]{2}|e?", "𐐀𐐁𐐂", "a/b-c#d e", "\ufeff\u2028x\u2029", "\\\\\\", "tab\ttab",
		strings.Repeat("x", 128<<10-4) + "end.",
	} {
		member := []string{`"role":`, `"description":`, `"instructions":`}[i%3]
		if utf8.RuneCountInString(text) > 128 || i%3 == 0 && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			member = `"instructions":`
		}
		id := w.hire(fmt.Sprintf("agent %02d", i), "Sales", `"metadata":{"role":"hidden","a":[{"instructions":"hidden"}]}`, `"owner":"mine"`, fmt.Sprintf(`"tags":["x","tag-%d.k"]`, i)).ID()
		all = append(all, w.change(id, "{"+member+quote(text)+"}"))
	}
	for _, text := range []string{
		"100 %", " % ", "%%%", "___", "e_c", `:\n`, `:\\n`, "a.*", ".*b", `"b"`, `\"b`, "one\ntwo", "two\r\nthree", "three\rfour", "\n\n\n", "two\nthree",
		"\u0000\u0001\u001f", `\u0000`, "u0000", "😀😁😂", "😁😂😂", "STRASSE", "straße", "ẞEE", "asse", "CAFÉ", "afe\u0301", "cafe", "BỆNH", "デプロイ", "プロイ", "テ\u3099フ\u309a", "退款", "力上", "میروم", "дом", "FIND", "ﬁnd", "istanbul", "İSTANBUL", "kelvin", "\u212aELVIN", "see", "ſEE", "sEE",
		"\u202eABC", "bc\u2066", "$b(", "[d]", "{2}", "|e?", "𐐨𐐩𐐪", "b-c#d", "\ufeff\u2028x", `\\\`, "b\tt", `b\tt`, "xend.", "xxx", "AGENT 1", "agent 02",
		"tag-0", "G-0.", "0.k", "0.\u212a", "g-1.k", "tag\u0000", "tags", "mine", "instructions", "description", "hidden", `":"`, `","`, "sales", "null",
	} {
		w.wantFound(all, text)
	}
}

func searchRandomTexts(w *world) {
	w.createDepartment("Sales")
	r := rand.New(rand.NewPCG(49, 1))
	alphabets := []string{"aAbB ", "kK\u212ax", "sSſßẞ", "ıİiI", "θΘϑϴ", "\"\\\nn\r\u0000/", "😀😁", ".*[]^$%_", "e🙂E\u202e", "eéE\u0301\u0323x", "ßsSﬁfi", "デテ\u3099ロ退", "\n\u0301a\u200d\""}
	write := func(letters string, n int) string {
		text, from := make([]rune, n), []rune(letters)
		for i := range text {
			text[i] = from[r.IntN(len(from))]
		}
		return string(text)
	}
	var all []agent.Agent
	for i := range 3 * len(alphabets) {
		letters := alphabets[i%len(alphabets)]
		all = append(all, w.hire(fmt.Sprintf("agent %02d", i), "Sales", `"description":`+quote(write(letters, 20)), `"instructions":`+quote(write(letters, 60))))
	}
	for i := range 10 * len(alphabets) {
		text := write(alphabets[i%len(alphabets)], 3+r.IntN(3))
		if _, err := search.Parse(text); err == nil { // its normal form is long enough
			w.wantFound(all, text)
		}
	}
}

func searchFilters(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	var all []agent.Agent
	for i, members := range []string{
		`"level":"mid","owner":"ann","tags":["a","b"]`, `"level":"vp"`, `"level":"mid","status":"on_leave","owner":"ann","tags":["a"]`, `"level":"vp","status":"on_leave","tags":["b","a"]`,
	} {
		for j, department := range []string{"Sales", "Ops"} {
			all = append(all, w.hire(fmt.Sprint("x", 9-i, j), department, members, `"instructions":"Be polite."`), w.hire(fmt.Sprint("y", i, j), department, members))
		}
	}
	for _, q := range []agent.Query{
		{}, {Department: "sales"}, {Department: "ops", Status: identity.OnLeave}, {Level: identity.VP}, {Status: identity.Active, Level: identity.Mid},
		{Department: "sales", Status: identity.Active, Level: identity.VP}, {Department: "sale"}, {Status: identity.Terminated},
		{Owner: "ann"}, {Tags: []string{"b", "a"}}, {Owner: "ann", Tags: []string{"a"}, Status: identity.OnLeave},
	} {
		var want []string
		for _, a := range all {
			if selects(q, a) && has(a, "polite") {
				want = append(want, a.Name().Text)
			}
		}
		for _, limit := range []int{1, 3, 100} {
			w.want(fmt.Sprintf("Search with %+v in pages of %d", q, limit), w.search("POLITE", q, limit), want)
		}
	}
	w.change(all[0].ID(), `{"instructions":"Be quick."}`)
	w.fire(all[2].ID())
	w.want("Search after changes", len(w.search("polite", agent.Query{}, 100)), 6)
	w.want("Search for what is new", w.search("be quick", agent.Query{}, 100), []string{all[0].Name().Text})
}

// searchCost searches more than one page may look at.
func searchCost(w *world) {
	w.createDepartment("Sales")
	var last agent.Agent
	var all []string
	for size := 0; size <= agent.MaxSearched; size += len(last.Text) {
		last = w.hire(fmt.Sprintf("large %02d", len(all)), "Sales", large(len(all)))
		all = append(all, last.Name().Text)
	}
	end := w.hire("the last", "Sales")
	q := agent.SearchQuery{Text: must(search.Parse("the last")), Query: agent.Query{Limit: 10}}
	if _, err := w.Agents.Search(page.WithoutTurn(w.Context()), q); !errors.Is(err, page.ErrLarge) {
		w.Errorf("Search of much without a turn = %v, want %v", err, page.ErrLarge)
	}
	found, err := w.Agents.Search(w.Context(), q)
	w.wantNil("Search", err)
	at := last.Record().Position()
	w.want("the first page", found, agent.Found{Reached: &at})
	q.After = found.Reached
	found, err = w.Agents.Search(w.Context(), q)
	w.wantNil("Search", err)
	w.want("the second page", []any{len(found.Hits), found.Reached == nil}, []any{1, true})
	w.want("its hit", found.Hits[0].Record, end.Record())

	// Where the text may be, an agent counts twice; and a page has no more hits than another
	// list has rows.
	q.After, q.Text = nil, must(search.Parse("description"))
	found, err = w.Agents.Search(w.Context(), q)
	w.wantNil("Search", err)
	w.want("hits of what is only a name of a field", len(found.Hits), 0)
	if found.Reached == nil || *found.Reached == at {
		w.Errorf("a search that has to read has reached %v, want half as far as one that need not", found.Reached)
	}
	q.Text = must(search.Parse("large"))
	found, err = w.Agents.Search(w.Context(), q)
	w.wantNil("Search", err)
	if n := len(found.Hits); n == 0 || n == q.Limit || page.Fits(found.Hits) != n {
		w.Errorf("a page of large hits has %d", n)
	}
	w.want("all large hits", w.search("large", agent.Query{}, 10), all)
}
