package load

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
)

// BenchmarkLabels compares reads by a label with those of the agents themselves, of
// the same program: 1 000 agents with prompts of 2 kB.
func BenchmarkLabels(b *testing.B) {
	const agents, prompt = 1000, 2000
	dir := filepath.Join(b.TempDir(), "data")
	s, stop := openIn(b, dir)
	all := s.hire(agents, func(i int) []byte { return newAgent(fmt.Sprintf("Agent %05d", i), prompt) })
	labeled := make([]hired, len(all))
	for i, a := range all {
		s.must(http.MethodPut, "/agents/"+a.id+"/labels/production", []byte(`{"version":1}`))
		all[i].etag = s.do(http.MethodGet, "/agents/"+a.id, nil).Header().Get("ETag")
		labeled[i] = hired{a.id + "/labels/production", s.do(http.MethodGet, "/agents/"+a.id+"/labels/production", nil).Header().Get("ETag")}
	}
	token := s.token
	stop()
	p := serve(b, dir, token)
	list := func(path string) func(int) traffic { return always(p.request(http.MethodGet, path+"?limit=50", nil)) }
	for _, c := range []struct {
		name      string
		mine, its func(client int) traffic
		status    int // of mine
	}{
		{"resolve", p.gets(labeled), p.gets(all), http.StatusOK},
		{"not-modified", p.conditionalGets(labeled), p.gets(all), http.StatusNotModified},
		{"agent-not-modified", p.conditionalGets(all), p.gets(all), http.StatusNotModified},
		{"agents", list("/labels/production/agents"), list("/agents"), http.StatusOK},
	} {
		b.Run(c.name, func(b *testing.B) {
			beside(b, asked{p.side(), http.StatusOK, c.its}, asked{p.side(), c.status, c.mine})
		})
	}
}
