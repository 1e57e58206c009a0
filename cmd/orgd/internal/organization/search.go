package organization

import (
	"context"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Search finds agents by what is written in them.
type Search struct {
	allFlags
	Text       string             `arg:"" help:"Text to search for, 3 to 128 characters; 2 are enough in Chinese, Japanese, Thai and the like."`
	Department string             `placeholder:"NAME" help:"Only in agents of this department."`
	Status     client.AgentStatus `enum:",active,onboarding,on_leave,terminated" default:"" placeholder:"STATUS" help:"Only in these: active, onboarding, on_leave or terminated."`
	Level      client.AgentLevel  `enum:",junior,mid,senior,lead,principal,director,vp,c_suite" default:"" placeholder:"LEVEL" help:"Only in these: junior, mid, senior, lead, principal, director, vp or c_suite."`
	Owner      string             `placeholder:"SUBJECT" help:"Only in agents of this owner."`
	Tag        []string           `placeholder:"TAG" help:"Only in agents with this tag; with all of them if there are more."`
}

// Run prints what was found on standard output.
func (c *Search) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	all, err := remote.Collect(service.Search(ctx, client.SearchQuery{
		PageQuery: remote.Pages(c.Reads()), Text: c.Text, Department: c.Department, Status: c.Status, Level: c.Level,
		Owner: c.Owner, Tags: c.Tag, Summary: !c.Full(),
	}), c.Reads())
	if err == nil && len(all) == 0 && c.Department != "" {
		_, err = service.Department(ctx, c.Department) // the list does not tell whether there is one
	}
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header("NAME", "DEPARTMENT", "FIELD", "LINE", "TEXT")
		for _, a := range all {
			for _, m := range a.Matches {
				table.Row(a.Name, a.Department, m.Field, strconv.FormatInt(m.Line, 10), strings.TrimSpace(m.Text))
			}
		}
	})
}
