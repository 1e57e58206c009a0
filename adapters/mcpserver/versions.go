package mcpserver

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orgd/client"
)

// versions says of which agent versions are wanted.
type versions struct {
	Agent string `json:"agent" jsonschema:"name or id; of a deleted agent the id"`
	paging
}

// compared are two versions of an agent.
type compared struct {
	Agent  string `json:"agent" jsonschema:"name or id; of a deleted agent the id"`
	From   int64  `json:"from" jsonschema:"the earlier version"`
	To     int64  `json:"to" jsonschema:"the later version"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the answer before"`
}

// resolved says what of an agent that a label names is wanted.
type resolved struct {
	Agent  string   `json:"agent" jsonschema:"name or id"`
	Label  string   `json:"label,omitempty" jsonschema:"such as production or latest; without it, the labels of the agent are listed"`
	Parts  []string `json:"parts,omitempty" jsonschema:"default none"`
	Cursor string   `json:"cursor,omitempty" jsonschema:"next_cursor of the answer before"`
}

// changed are the conditions of list_changes.
type changed struct {
	Agent      string `json:"agent,omitempty" jsonschema:"name or id; of a deleted agent the id"`
	Department string `json:"department,omitempty" jsonschema:"name"`
	Actor      string `json:"actor,omitempty" jsonschema:"subject who made the change"`
	Action     string `json:"action,omitempty" jsonschema:"such as agent, agent.updated, agent.label_set, department, company"`
	Since      string `json:"since,omitempty" jsonschema:"not before this time or UTC day, such as 2026-01-31T12:00:00Z or 2026-01-31"`
	Until      string `json:"until,omitempty" jsonschema:"before this time or UTC day"`
	paging
}

func addVersionTools(s *mcp.Server, open Open) {
	add(s, open, "list_versions",
		"List the versions of an agent, newest first: number, who saved it, when, why. What a version says: get_agent with version. What became different: diff_versions.",
		listVersions)
	add(s, open, "diff_versions",
		"Show what became different from one version of an agent to a later one, field by field, long texts as a unified diff. For who and why: list_versions.",
		diffVersions)
	add(s, open, "resolve_label",
		"Tell which version of an agent a label names, with parts of that version: what an agent in production is. Without label, list all labels of an agent, who set them and why. It moves nothing.",
		resolveLabel)
	add(s, open, "list_changes",
		"List what was changed in the organization, newest first: who, when, what, why, and which fields; never their values. "+
			"A label moved from from_version to version. For the values of an agent: diff_versions.",
		listChanges)
}

func listVersions(ctx context.Context, c *client.Client, in versions) (string, error) {
	return list(nil, "versions", in.paging, func(p client.PageQuery) (client.Page[client.Version], error) {
		return c.VersionPage(ctx, in.Agent, p)
	}, func(v client.Version) any {
		view := object{"version": v.Number, "saved_by": v.SavedBy, "saved_at": v.SavedAt, "content_hash": v.ContentHash[:min(len(v.ContentHash), 12)]}
		because(view, v.Reason)
		if v.RestoredFrom != nil {
			view["restored_from"] = *v.RestoredFrom
		}
		return view
	})
}

// because adds a reason, if there is one.
func because(view object, reason *string) {
	if reason != nil {
		view["reason"] = clip(*reason)
	}
}

func diffVersions(ctx context.Context, c *client.Client, in compared) (string, error) {
	d, err := c.VersionDiff(ctx, in.Agent, in.From, in.To)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, f := range d.Changes {
		switch {
		case f.TextDiff != nil:
			text.WriteString(f.Path + ":\n" + strings.TrimSuffix(*f.TextDiff, "\n"))
		default:
			text.WriteString(f.Path + ": " + orNone(f.OldValue) + " → " + orNone(f.NewValue))
		}
		text.WriteByte('\n')
	}
	return part(object{"id": d.AgentID, "from": d.FromVersion, "to": d.ToVersion, "summary": d.Summary}, "diff", text.String(), in.Cursor)
}

func orNone(value *string) string {
	if value == nil {
		return "(none)"
	}
	return *value
}

func resolveLabel(ctx context.Context, c *client.Client, in resolved) (string, error) {
	if in.Label == "" {
		labels, err := c.Labels(ctx, in.Agent)
		if err != nil {
			return "", err
		}
		return document(object{"labels": labels}, in.Cursor)
	}
	a, err := c.Resolve(ctx, in.Agent, in.Label)
	if err != nil {
		return "", err
	}
	head := object{
		"name": a.Name, "id": a.AgentID, "department": a.Department, "status": a.Status, "label": a.Label, "version": a.Version, "content_hash": a.ContentHash,
	}
	if a.Identity.Model != nil {
		head["model"] = a.Identity.Model.Provider + "/" + a.Identity.Model.ModelID
	}
	return describe(head, a.Identity, in.Parts, in.Cursor)
}

// maxFields bounds the fields of one change.
const maxFields = 16

func listChanges(ctx context.Context, c *client.Client, in changed) (string, error) {
	since, err := moment(in.Since)
	until, mistaken := moment(in.Until)
	if err = cmp.Or(err, mistaken); err != nil {
		return "", err
	}
	return list(nil, "changes", in.paging, known(ctx, c, in.Department, in.Agent, func(p client.PageQuery) (client.Page[client.ChangeEvent], error) {
		return c.ChangePage(ctx, client.ChangeQuery{PageQuery: p, Since: since, Until: until, ChangeFilter: client.ChangeFilter{
			Action: client.ChangeAction(in.Action), Agent: in.Agent, Department: in.Department, Actor: in.Actor,
		}})
	}), func(e client.ChangeEvent) any {
		view := object{"at": e.Timestamp, "by": e.Actor, "action": e.Action, "name": e.Resource.Name, "summary": clip(e.Summary)}
		because(view, e.Reason)
		if e.Resource.Type == "agent" {
			view["id"] = e.Resource.ID
		}
		if fields := e.ChangedFields; len(fields) > 0 {
			view["fields"] = fields[:min(len(fields), maxFields)]
		}
		if e.Label != nil {
			view["label"] = *e.Label
		}
		if e.FromVersion != nil {
			view["from_version"] = *e.FromVersion
		}
		if e.ToVersion != nil {
			view["version"] = *e.ToVersion
		}
		return view
	})
}

// moment reads a time, or a day as its beginning.
func moment(text string) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	if at, err = time.Parse(time.DateOnly, text); err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		err = mistake("since and until are times such as 2026-01-31T12:00:00Z, or days such as 2026-01-31")
	}
	return at, err
}
