package organization

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

type agentEditCmd struct {
	remote.ServerFlag
	terminal.ResultFlag
	document.ReasonFlag
	agentArg
}

// editing is an agent that is edited.
type editing struct {
	*agentEditCmd
	t       *terminal.Terminal
	service *client.Client
	agent   client.Agent // as it was read
	before  client.Object
	draft   *document.Draft
}

func (c *agentEditCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if !t.Interactive {
		return terminal.Usagef("this needs a terminal for the editor; orgd agent update changes fields without one")
	}
	a, err := service.Agent(ctx, c.Agent)
	if err != nil {
		return err
	}
	e := &editing{agentEditCmd: c, t: t, service: service, agent: a}
	if err := e.begin(ctx); err != nil {
		return err
	}
	done, err := e.edit(ctx)
	if done {
		return errors.Join(err, os.Remove(e.draft.File))
	}
	t.Say("Your text is in %s.", e.draft.File)
	return err
}

// begin writes the draft. Other agents have their names in it.
func (e *editing) begin(ctx context.Context) error {
	others := e.agent.Authority
	names, err := agentNames(ctx, e.service, true, append([]string{terminal.Word(others.ReportsTo)}, others.CanDelegateTo...)...)
	if err != nil {
		return err
	}
	view := e.agent
	if others.ReportsTo != nil {
		name := names[*others.ReportsTo]
		view.Authority.ReportsTo = &name
	}
	view.Authority.CanDelegateTo = nil
	for _, id := range others.CanDelegateTo {
		view.Authority.CanDelegateTo = append(view.Authority.CanDelegateTo, names[id])
	}
	e.draft, err = document.NewDraft("agent", view, "id", "version", "revision", "created_at", "updated_at", "hiring_date")
	if err == nil {
		e.before, err = e.draft.Fields(e.t)
	}
	return err
}

// edit opens the editor until the text is accepted, or left as it was refused. It reports
// whether the text is not needed any more.
func (e *editing) edit(ctx context.Context) (done bool, err error) {
	comment := ""
	for {
		changed, err := e.draft.Edit(ctx, e.t, comment)
		if err != nil {
			return false, err
		}
		if !changed {
			if comment != "" {
				return false, errors.New("the text is still refused; nothing was changed")
			}
			e.t.Say("Agent %s: nothing changed.", e.agent.Name)
			return true, nil
		}
		refused, err := e.send(ctx)
		if refused == nil {
			return err == nil, err
		}
		comment = "This was refused, and nothing was changed:\n" + strings.ReplaceAll(e.t.Sentence(refused), "; ", "\n")
	}
}

// send shows what was changed, asks, and changes it. The first error is one that another
// text may not have.
func (e *editing) send(ctx context.Context) (refused, err error) {
	after, err := e.draft.Fields(e.t)
	if err != nil {
		return err, nil
	}
	patch := document.MergePatch(e.before, after)
	if len(patch) == 0 {
		e.t.Say("Agent %s: nothing changed.", e.agent.Name)
		return nil, nil
	}
	if err := document.PrintChange(e.t, fmt.Sprintf("agent %q", e.agent.Name), e.before, after); err != nil {
		return nil, err
	}
	if err := e.t.Confirm(ctx, "Change it like this?", false); err != nil {
		return nil, err
	}
	a, err := e.service.PatchAgent(ctx, e.agent.ID, patch, append(e.Options(), client.IfMatch(e.agent.ETag))...)
	switch {
	case errors.Is(err, client.ErrValidation), errors.Is(err, client.ErrRequestValidation), errors.Is(err, client.ErrDuplicate):
		return err, nil
	case errors.Is(err, client.ErrVersionConflict):
		return nil, e.conflict(ctx, err)
	}
	return nil, printResult(e.t, e.ResultFlag, a, err, "Agent %s has version %d (revision %d).", a.Name, a.Version, a.Revision)
}

// conflict returns who has changed the agent meanwhile.
func (e *editing) conflict(ctx context.Context, conflict error) error {
	page, err := e.service.ChangePage(ctx, client.ChangeQuery{PageQuery: client.PageQuery{Limit: 1}, ChangeFilter: client.ChangeFilter{Agent: e.agent.ID}})
	if err != nil || len(page.Items) == 0 {
		return conflict
	}
	last := page.Items[0]
	return fmt.Errorf("%s has changed agent %s meanwhile, at %s; nothing was changed", last.Actor, e.agent.Name, terminal.Time(last.Timestamp))
}
