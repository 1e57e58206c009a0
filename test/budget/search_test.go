package budget

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"
)

// What a search goes through: agents with prompts of two kilobytes, of which one has the
// rare word.
const (
	searchedDepartments = 100
	searchedAgents      = 100 // in each
	searchedPrompt      = 2000
	rareWord            = "Quetzalcoatl"
)

// TestSearchEmbedded bounds each page of a search of ten thousand agents.
func TestSearchEmbedded(t *testing.T) { searches(t, embedded) }

// TestSearchMongoDB is the same on MongoDB.
func TestSearchMongoDB(t *testing.T) { searches(t, onMongoDB) }

func searches(t *testing.T, open func(*testing.T) *service) {
	if testing.Short() {
		t.Skip("makes 60 MiB")
	}
	none := []string{"none"} // no request is about these
	w := &world{service: open(t), large: none, projects: none, hooks: none}
	w.makeSearched()
	w.restart()
	for text, found := range map[string]int{
		"nowhere at all":                 0, // though its words are
		rareWord:                         1,
		"instructions":                   0, // which every agent has, but as the name of a field
		"\U00020000\U00020001\U00020002": 0,
		" the ":                          searchedDepartments * searchedAgents,
	} {
		query := []string{"view=summary", "limit=200", "search=" + url.QueryEscape(text)}
		w.measure(operation{id: "agents.list", method: "GET", path: "/api/v1/agents"}, query)
		if found > 1 {
			continue // the first page has what people look at
		}
		begin := time.Now()
		if got := w.list("/agents?" + strings.Join(query, "&")); len(got) != found {
			t.Errorf("%q is found in %d agents, want %d", text, len(got), found)
		}
		t.Logf("budget: all pages of a search for %q: %v", text, time.Since(begin).Round(time.Millisecond))
	}
}

// makeSearched makes the organization that is searched.
func (w *world) makeSearched() {
	w.Helper()
	words := strings.Fields("the agent must never share customer data with anybody outside of the company and always answers politely in short " +
		"sentences before it asks for what it does not know if a refund is larger than fifty euros ask the lead write a summary into the ticket")
	r := rand.New(rand.NewPCG(49, 3))
	var departments, agents []object
	for d := range searchedDepartments {
		department := fmt.Sprint("Department ", d)
		departments = append(departments, object{"name": department})
		for i := range searchedAgents {
			var prompt strings.Builder
			for prompt.Len() < searchedPrompt {
				prompt.WriteString(words[r.IntN(len(words))] + []string{" ", " ", " ", ".\n"}[r.IntN(4)])
			}
			if d == searchedDepartments-1 && i == 7 {
				prompt.WriteString(" " + strings.ToUpper(rareWord))
			}
			agents = append(agents, object{"name": fmt.Sprintf("Agent %d of %d", i, d), "role": "clerk", "department": department, "instructions": prompt.String()})
		}
	}
	w.must("POST", "/organization/apply", object{"format": 1, "departments": departments, "agents": agents}, nil)
}
