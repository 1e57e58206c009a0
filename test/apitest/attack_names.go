package apitest

import (
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// naming is a text that is tried as a name, and what the interface says of it.
type naming struct {
	written string
	shown   string // in NFC and without white space around it
	key     string // what makes it the same name as another
	refused bool
}

func newNaming(written string) naming {
	shown := strings.TrimSpace(norm.NFC.String(written))
	bare := strings.NewReplacer("\u200c", "", "\u200d", "").Replace(shown)
	key := norm.NFC.String(cases.Fold().String(norm.NFC.String(bare)))
	return naming{written, shown, key, isNoName(bare) || tooLong(shown) || strings.Trim(shown, "\u200c\u200d") != shown || belowName.MatchString(key)}
}

// isNoName is the rule of the interface for a name without joiners, in words of its own.
func isNoName(bare string) bool {
	uuid := len(bare) == 36 && strings.Count(bare, "-") == 4 && strings.Trim(bare, "0123456789abcdefABCDEF-") == ""
	return bare == "" || bare == "." || bare == ".." || uuid ||
		strings.ContainsFunc(bare, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) })
}

// belowName finds the paths that are below a name.
var belowName = regexp.MustCompile(`/(activity|ceremony-policy(/resolved)?|days|health|history|performance|proposals|reorder-agents|restore|` +
	`labels(/[^/]+(/history)?)?|versions(/[^/]+(/evaluations|/performance)?)?)$`)

// alphabets are ranges of characters of every plane, those that are refused
// among them.
var alphabets = [][2]rune{
	{' ', '~'}, {' ', '~'}, {'a', 'z'}, {'À', 'ɏ'}, {'Ͱ', 'Ͽ'}, {'Ѐ', 'ӿ'}, {'Ա', '֏'}, {'א', 'ת'}, {'ء', 'ي'}, {'ऄ', 'ह'}, {'ก', 'ฮ'},
	{'Ꭰ', '\u13fd'}, {'Ⴀ', 'ჿ'}, {'Ḁ', 'ỿ'}, {'ἀ', '\u1ffe'}, {'ⅰ', 'ↈ'}, {'ぁ', 'ヿ'}, {'一', '鿿'}, {'가', '힣'}, {'ﬀ', 'ﬆ'}, {'！', '～'},
	{'\u0300', '\u036f'}, {'\u2000', '\u206f'}, {'\u0000', '\u001f'}, {'\u007f', '\u00ad'}, {'\ufdd0', '\ufdef'}, {'\ufff0', '\uffff'},
	{'\U00010400', '\U0001044f'}, {'\U0001d400', '\U0001d4ff'}, {'\U0001f300', '\U0001f64f'}, {'\U00020000', '\U000200ff'}, {'\U0002f800', '\U0002fa1d'},
	{'\ue000', '\uf8ff'}, {'\U000e0001', '\U000e007f'}, {'\U000f0000', '\U000f00ff'}, {'\U0010ff00', '\U0010ffff'},
}

// hostileWords are texts that mean something to a parser, a shell, a database
// or a browser.
var hostileWords = append([]string{
	"%2F", "%00", "%2e%2e", "..%2f", "../agents", "agents/Ann", "Ann/versions/1", "Ann/health", "Ann/labels/x", "/versions", "/Health", "می\u200cخواهم", "👩\u200d🚀", "\u200c", "versions", "diff", "rollback", "reorder-agents", "health", "a\\b", "a?limit=1", "a#b",
	"a%", "a_b", "a*", "$where", "$ne", "$gt", "a.b", "$a.$b", "__proto__", "constructor", `{"$ne":""}`, "'; DROP TABLE agents;--", `" OR ""="`, "{{7*7}}", "${jndi:ldap://x}",
	"<img src=x>", "undefined", "NULL", "nil", "0x10", "1e3", "-0", "İ", "ı", "I", "i̇", "ſ", "K", "k", "K", "ẞ", "ß", "SS", "ﬃ", "ffi", "Σ", "ς", "ᾳ", "ΑΙ", "ǆ", "ǅ",
	"Å", "Å", "A\u030a", "e\u0323\u0302", "e\u0302\u0323", "\u1ec7", "한", "\u1112\u1161\u11ab", "\u0344", "\u0958", "\u2126", "\u03a9", "a\u200bb", "a\u00adb", "\u2068a\u2069",
	"proj-0123456789ab", "evt", "me", "*", "+", "a+b", "a b", "a;b=c", "a,b", "~", "名/前", "\u00a0a\u00a0", "\u3000a\u3000", "\u2028a", "\u1680a", "\u180ea",
}, oddTexts...)

// name makes a text, often near one that was made before.
func (m mutator) name(before []string) string {
	switch kind := m.IntN(10); {
	case kind == 0:
		return pick(m, hostileWords)
	case kind == 1:
		return pick(m, hostileWords) + pick(m, hostileWords)
	case kind < 6 && len(before) > 0:
		return m.twin(pick(m, before))
	}
	text, alphabet := "", pick(m, alphabets)
	for n := 1 + m.IntN(pick(m, []int{3, 12, 60, 140})); n > 0; n-- {
		text += string(alphabet[0] + rune(m.IntN(int(alphabet[1]-alphabet[0]+1))))
		if m.IntN(6) == 0 {
			alphabet = pick(m, alphabets)
		}
	}
	return text
}

// twin writes a name in another way, or changes it a little.
func (m mutator) twin(name string) string {
	switch m.IntN(10) {
	case 0:
		return norm.NFD.String(name)
	case 1:
		return norm.NFKC.String(name)
	case 2, 3:
		return strings.ToUpper(name)
	case 4:
		return strings.ToLower(name)
	case 5:
		return cases.Fold().String(name)
	case 6:
		return pick(m, []string{" ", "\t", "\u00a0", "\u3000", "\u2029"}) + name + pick(m, []string{" ", "\n", "\u2003"})
	case 7:
		return url.PathEscape(name)
	case 8:
		return name + pick(m, []string{".", "/", "\u0301", "\u200d", "s", "\x00", "%", "\\"})
	}
	runes := []rune(name)
	if len(runes) == 0 {
		return "x"
	}
	i := m.IntN(len(runes))
	return string(slices.Delete(runes, i, i+1))
}

// R15: whatever is taken for a name comes back as it was written, but for NFC
// and white space around it, and never leads to what has another name. Names of
// one key are tried in one goroutine, so that each knows what is there.
func hostileNames(t *testing.T, s *Service) {
	c := s.admin(t)
	c.sloppy = true
	c.found("D")
	m := random(t)
	shares := make([][]naming, workers)
	var before []string
	for range size(1000, 20_000) {
		before = append(before, m.name(before))
		n := newNaming(before[len(before)-1])
		h := fnv.New32a()
		h.Write([]byte(n.key))
		i := h.Sum32() % workers
		shares[i] = append(shares[i], n)
	}
	var accepted, taken, refused atomic.Int64
	seed := m.Uint64()
	inParallel(func(worker int) {
		r := registrar{client: c, mutator: mutator{rand.New(rand.NewPCG(seed, uint64(worker)))}, agents: map[string]resident{}}
		for _, n := range shares[worker] {
			switch r.try(n) {
			case http.StatusCreated:
				accepted.Add(1)
			case http.StatusConflict:
				taken.Add(1)
			default:
				refused.Add(1)
			}
			if t.Failed() {
				return
			}
		}
	})
	t.Logf("R15: %d names: %d given, %d taken already, %d refused", len(before), accepted.Load(), taken.Load(), refused.Load())
	if min(accepted.Load(), taken.Load(), refused.Load()) < int64(len(before)/50) {
		t.Errorf("of %d names %d were given, %d taken, %d refused; the texts try too little", len(before), accepted.Load(), taken.Load(), refused.Load())
	}
}

// resident is an agent whose name was accepted.
type resident struct{ id, shown string }

// registrar gives names, and knows which it has given.
type registrar struct {
	*client
	mutator
	agents map[string]resident // by key
}

// try uses a name in all places and returns what hiring an agent of this name
// was answered.
func (r registrar) try(n naming) int {
	a, known := r.agents[n.key]
	known = known && !n.refused // a joiner at the end is in no key
	hired := r.post("/agents", agentBody(n.written, "D"))
	switch {
	case n.refused:
		r.expect(hired, 400, 2001)
	case known:
		r.expect(hired, 409, 4001)
	case hired.is(400, 2001) && manyMarks(n.shown):
		n.refused = true
	default:
		if r.expect(hired, 201, 0) {
			hired.has("data.name", n.shown)
			a, known = resident{hired.text("data.id"), n.shown}, true
			r.agents[n.key] = a
		}
	}
	if tooLong(n.written) {
		n.written = n.shown // elsewhere the text counts as it is written
	}
	r.look(n, a, known)
	if !n.refused {
		r.use(n, a)
	}
	return hired.status
}

func tooLong(text string) bool { return utf8.RuneCountInString(text) > 128 }

// manyMarks reports more marks in a row than a text can have in NFC as it was
// written.
func manyMarks(text string) bool {
	run := 0
	for _, r := range norm.NFD.String(text) {
		if run++; !unicode.Is(unicode.M, r) {
			run = 0
		}
		if run > 30 {
			return true
		}
	}
	return false
}

func (r registrar) expect(got *reply, status, code int) bool {
	if got.is(status, code) {
		return true
	}
	r.t.Errorf("%s = %d %s, want %d/%d", got.what, got.status, clip(got.body), status, code)
	return false
}

// look asks for an agent by the name in a path and in queries.
func (r registrar) look(n naming, a resident, known bool) {
	if n.written == "" {
		return // no path
	}
	escaped := url.QueryEscape(n.written)
	byPath, byStart, byFilter := r.get(agentPath(n.written)), r.get("/agents?q="+escaped), r.get("/agents?limit=1&department="+escaped)
	switch {
	case known:
		if r.expect(byPath, 200, 0) && r.expect(byStart, 200, 0) {
			byPath.hasAll("data", obj{"id": a.id, "name": a.shown})
			byStart.has("data.0.id", a.id) // nothing that begins with the name comes before it
		}
	case !byPath.is(404, 3000) && !byPath.is(400, 2001):
		r.t.Errorf("%s = %d %s, want 404 or 400", byPath.what, byPath.status, clip(byPath.body))
	}
	if byFilter.status == 200 && n.key != "d" && len(byFilter.items("data")) > 0 || byFilter.status != 200 && !byFilter.is(400, 2001) {
		r.t.Errorf("%s = %d %s, want nothing", byFilter.what, byFilter.status, clip(byFilter.body))
	}
}

// use gives an agent's name to other things too, writes it in another way, and
// lets the agent go again, mostly.
func (r registrar) use(n naming, a resident) {
	switch r.IntN(4) {
	case 0:
		made := r.post("/departments", obj{"name": n.written, "head": n.written})
		if n.key != "d" && r.expect(made, 201, 0) {
			made.hasAll("data", obj{"name": n.shown, "head": a.shown})
			r.get(departmentPath(n.written)).has("data", made.at("data"))
			r.expect(r.delete(departmentPath(n.written)), 204, 0)
		}
	case 1:
		if made := r.post("/projects", obj{"name": n.written, "team": list{n.written}}); r.expect(made, 201, 0) {
			made.hasAll("data", obj{"name": n.shown, "team": list{a.id}})
			r.expect(r.delete("/projects/"+made.text("data.id")), 204, 0)
		}
	}
	other := newNaming(r.twin(n.written))
	if other.key != n.key || other.refused || tooLong(other.written) {
		other = n
	}
	if renamed := r.patch(agentPath(n.written), obj{"name": other.written}); r.expect(renamed, 200, 0) {
		a.shown = other.shown
		renamed.hasAll("data", obj{"id": a.id, "name": a.shown})
		r.agents[n.key] = a
	}
	if r.IntN(3) > 0 {
		r.expect(r.delete(agentPath(other.written)), 204, 0)
		r.expect(r.get(agentPath(n.written)), 404, 3000)
		delete(r.agents, n.key)
	}
}
