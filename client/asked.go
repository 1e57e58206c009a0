package client

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// subject is an answer that says what it is about. Either may be "".
type subject interface{ subject() (id, name string) }

func (i *AgentIdentity) subject() (id, name string)    { return i.ID, i.Name }
func (v *Version) subject() (id, name string)          { return v.Identity.ID, "" } // the name was that of the time
func (a *ResolvedAgent) subject() (id, name string)    { return a.AgentID, a.Name }
func (h *AgentHealth) subject() (id, name string)      { return h.AgentID, h.AgentName }
func (p *AgentPerformance) subject() (id, name string) { return "", p.AgentName }
func (d *Department) subject() (id, name string)       { return "", d.Name }
func (h *DepartmentHealth) subject() (id, name string) { return "", h.DepartmentName }
func (p *Project) subject() (id, name string)          { return p.ID, p.ID }
func (w *Webhook) subject() (id, name string)          { return w.ID, w.ID }

// asked returns the collection and the id or name that the request asks for, "" if it asks
// for no single resource.
func (r request) asked() (collection, of string) {
	segments := strings.Split(r.path, "/")
	collections := []string{"agents", "departments", "projects", "webhooks"}
	if len(segments) < 3 || !slices.Contains(collections, segments[1]) {
		return "", ""
	}
	of, err := url.PathUnescape(segments[2])
	if err != nil {
		return "", ""
	}
	return segments[1], of
}

// proxies is the likely cause of an answer that nobody asked for.
const proxies = "a proxy on the way may decode %2F in paths, or have answered itself"

// checkSubject refuses an answer that is about something else than was asked for. A proxy
// that decodes %2F asks for another resource than the client, and one that answers by itself
// may send anything.
func (r request) checkSubject(v any) error {
	s, ok := v.(subject)
	collection, asked := r.asked()
	if !ok || asked == "" {
		return nil
	}
	id, name := s.subject()
	given := name
	if collection == "agents" && renames(r.body) {
		name = ""
	}
	if isAbout(asked, id, name) {
		return nil
	}
	about := "about nothing"
	if given != "" || id != "" {
		about = fmt.Sprintf("about %q", given)
	}
	if id != "" && id != given {
		about += ", id " + id
	}
	return &Failure{Method: r.method, Path: r.path, Attempts: 1, Uncertain: true,
		Err: fmt.Errorf("the answer is %s, and %q was asked for: %s", about, asked, proxies)}
}

// renames reports whether a body may give an agent another name.
func renames(body any) bool {
	patch, ok := body.(Object)
	_, isRollback := body.(RollbackInput)
	return isRollback || ok && patch["name"] != nil
}

// isAbout reports whether what has the id and the name is what was asked for. Names are equal
// by rules of Unicode that only the service knows; but a path is misunderstood at its slashes,
// and these are the same in all spellings of a name.
func isAbout(asked, id, name string) bool {
	asked = strings.TrimSpace(asked)
	switch {
	case strings.EqualFold(asked, id), strings.EqualFold(asked, name):
		return true
	case len(asked) == 36 && strings.Count(asked, "-") == 4:
		return false
	case name == "":
		return id != ""
	case isASCII(asked) && isASCII(name):
		return false
	}
	return strings.Count(asked, "/") == strings.Count(name, "/")
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f })
}

// agentID returns what a change addresses an agent by: its id, if its name could be
// misunderstood.
func (c *Client) agentID(ctx context.Context, agent string) (string, error) {
	if !strings.Contains(agent, "/") {
		return agent, nil
	}
	a, err := c.Agent(ctx, agent)
	return a.ID, err
}

// checkDepartment makes sure that the name of a department is not misunderstood on the way,
// before something is changed under it.
func (c *Client) checkDepartment(ctx context.Context, name string) error {
	if !strings.Contains(name, "/") {
		return nil
	}
	_, err := c.Department(ctx, name)
	return err
}
