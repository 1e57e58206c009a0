package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"orgd/client"
)

// The bounds of the search for names.
const (
	maxNames   = 2000
	maxNearest = 3
	maxSearch  = 3 * time.Second
)

// didYouMean returns the end of a sentence about an object that was not found: the nearest
// names of its kind.
func didYouMean(service *client.Client, err error) string {
	answer, ok := errors.AsType[*client.Error](err)
	if !ok || answer.Code != client.ErrNotFound {
		return ""
	}
	kind, rest, _ := strings.Cut(strings.TrimPrefix(answer.Path, "/"), "/")
	rest, _, _ = strings.Cut(rest, "/")
	wanted, err := url.PathUnescape(rest)
	if err != nil || wanted == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxSearch)
	defer cancel()
	known := namesOf(ctx, service, kind)
	if _, exists := known[strings.ToLower(wanted)]; exists && kind != "projects" {
		return "" // something of it was not found
	}
	far := func(name string) int { return distance(strings.ToLower(wanted), name) }
	near := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool { return !isNear(strings.ToLower(wanted), name) })
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	if len(near) == 0 {
		return ""
	}
	var texts []string
	for _, name := range near[:min(maxNearest, len(near))] {
		texts = append(texts, known[name])
	}
	return "; did you mean " + strings.Join(texts, " or ") + "?"
}

// namesOf lists the objects of a kind by their names in small letters, with what to type for each. What
// cannot be read is left out.
func namesOf(ctx context.Context, service *client.Client, kind string) map[string]string {
	known := map[string]string{}
	add := func(name, text string) { known[strings.ToLower(name)] = text }
	switch kind {
	case "agents":
		all, _ := Collect(service.Agents(ctx, client.AgentQuery{PageQuery: Pages(0), Summary: true}), maxNames)
		for _, a := range all {
			add(a.Name, fmt.Sprintf("%q", a.Name))
		}
	case "departments":
		all, _ := Collect(service.Departments(ctx, Pages(0)), maxNames)
		for _, d := range all {
			add(d.Name, fmt.Sprintf("%q", d.Name))
		}
	case "projects":
		all, _ := Collect(service.Projects(ctx, client.ProjectQuery{PageQuery: Pages(0)}), maxNames)
		for _, p := range all {
			add(p.Name, fmt.Sprintf("%s (%q)", p.ID, p.Name))
		}
	}
	return known
}

// isNear reports whether one of two names has the other in it, or at most two letters differ.
func isNear(a, b string) bool {
	const shortest = 3 // of a part that says something
	return len(a) >= shortest && strings.Contains(b, a) || len(b) >= shortest && strings.Contains(a, b) || distance(a, b) <= min(2, len(a)/2)
}

// distance returns how many letters have to be put in, taken out or replaced.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			replaced := diagonal
			if r != s {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, replaced)
		}
	}
	return row[len(y)]
}
