package importer

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"orgd/client"
	"orgd/cmd/orgd/internal/agentfiles"
	"orgd/cmd/orgd/internal/agenthistory"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// plan finds out what is left to do.
func (r *historyReplay) plan(ctx context.Context) error {
	lives := map[name.Key][]int{} // indices of the steps
	for i, s := range r.history.Steps {
		lives[s.Key] = append(lives[s.Key], i)
	}
	known, err := departmentKeys(ctx, r.service)
	if err != nil {
		return err
	}
	employed, err := r.employed(ctx, lives)
	if err != nil {
		return err
	}
	gone, err := r.gone(ctx, lives)
	if err != nil {
		return err
	}
	purged, err := r.purged(ctx)
	if err != nil {
		return err
	}
	todo := map[int]agenthistory.Step{} // by index in the history
	for key, steps := range lives {
		all := make([]agenthistory.Step, len(steps))
		for i, at := range steps {
			all[i] = r.history.Steps[at]
		}
		left := remaining(all, employed[key], gone[key])
		if last := all[len(all)-1]; purged[key] && employed[key] == nil {
			r.withoutPast = append(r.withoutPast, last.Agent.Name)
			left = only(last, agenthistory.Hire)
		}
		if now := employed[key]; now != nil && now.commit == none && len(all) > 1 {
			r.late++
		}
		for now := employed[key]; now != nil && len(left) > 0 && left[0].Action == agenthistory.Update && now.is(left[0].Agent, r.provider); {
			left = left[1:] // would make no version
		}
		for i, s := range left {
			todo[steps[len(steps)-len(left)+i]] = s
		}
	}
	for _, at := range slices.Sorted(maps.Keys(todo)) {
		s := todo[at]
		r.todo = append(r.todo, s)
		if key := agentfiles.Key(s.Agent.Department); s.Action != agenthistory.Fire && !known[key] {
			known[key] = true
			r.founded = append(r.founded, s.Agent.Department)
		}
	}
	return r.findEmpty(ctx, known)
}

// findEmpty finds the departments that imports have made for the past alone, of those known.
func (r *historyReplay) findEmpty(ctx context.Context, known map[name.Key]bool) error {
	past := map[name.Key]bool{}
	for _, s := range r.history.Steps {
		past[agentfiles.Key(s.Agent.Department)] = true
	}
	for _, a := range r.history.Head.Agents {
		delete(past, agentfiles.Key(a.Department))
	}
	maps.DeleteFunc(past, func(key name.Key, _ bool) bool { return !known[key] })
	for _, d := range r.founded {
		if key := agentfiles.Key(d); past[key] {
			delete(past, key)
			r.empty = append(r.empty, d)
		}
	}
	if len(past) == 0 {
		return nil
	}
	for e, err := range r.service.Changes(ctx, client.ChangeQuery{ChangeFilter: client.ChangeFilter{Action: client.ActionDepartmentCreated}, PageQuery: client.PageQuery{Limit: 200}}) {
		if err != nil {
			return err
		}
		key := agentfiles.Key(e.Resource.Name)
		if !past[key] || terminal.Word(e.Reason) != defaultReason {
			continue
		}
		delete(past, key)
		staffed, err := r.isStaffed(ctx, e.Resource.Name)
		if err != nil {
			return err
		}
		if len(r.todo) > 0 || !staffed {
			r.empty = append(r.empty, e.Resource.Name)
		}
	}
	return nil
}

// isStaffed reports whether a department has agents.
func (r *historyReplay) isStaffed(ctx context.Context, department string) (bool, error) {
	for _, err := range r.service.Agents(ctx, client.AgentQuery{Department: department, Summary: true, PageQuery: client.PageQuery{Limit: 1}}) {
		return err == nil, err
	}
	return false, nil
}

// none is the commit of an agent that comes from elsewhere.
const none = -1

// employee is an agent that the service has.
type employee struct {
	client.Agent
	commit int // of its newest version that is of this history, or none
}

// is reports whether a file would change nothing about an agent.
func (e *employee) is(a agentfiles.Agent, provider string) bool {
	if agentfiles.Key(e.Department) == agentfiles.Key(a.Department) {
		a.Department = e.Department
	}
	fields := a.Fields(provider)
	if e.Model == nil && a.Model == "" {
		delete(fields, "model") // null would remove the field
	}
	var values [2]jsondoc.Value
	for i, from := range []any{e.Agent, fields} {
		text, err := json.Marshal(from)
		if err == nil {
			values[i], err = jsondoc.Parse(text)
		}
		if err != nil {
			return false
		}
	}
	return string(jsondoc.MergePatch(values[0], values[1]).Append(nil)) == string(values[0].Append(nil))
}

// employed looks at those agents of the history that the service has.
func (r *historyReplay) employed(ctx context.Context, lives map[name.Key][]int) (map[name.Key]*employee, error) {
	found := map[name.Key]*employee{}
	for a, err := range r.service.Agents(ctx, client.AgentQuery{}) {
		if err != nil {
			return nil, err
		}
		r.ranks++
		key := agentfiles.Key(a.Name)
		if lives[key] == nil {
			continue
		}
		commit, err := r.newest(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		found[key] = &employee{a, commit}
		r.position[key], r.metadata[key] = r.ranks, a.Metadata
	}
	return found, nil
}

// gone looks at those agents of the history that the service had, and returns
// the newest commit of each.
func (r *historyReplay) gone(ctx context.Context, lives map[name.Key][]int) (map[name.Key][]int, error) {
	found := map[name.Key][]int{}
	for e, err := range r.service.Activities(ctx, client.ActivityQuery{Type: client.EventFired, PageQuery: client.PageQuery{Limit: 200}}) {
		if err != nil {
			return nil, err
		}
		key := agentfiles.Key(e.AgentName)
		if lives[key] == nil {
			continue
		}
		commit, err := r.newest(ctx, e.AgentID)
		if err != nil {
			return nil, err
		}
		if commit != none {
			found[key] = append(found[key], commit)
		}
	}
	return found, nil
}

// purged returns the names that agents have had who were purged.
func (r *historyReplay) purged(ctx context.Context) (map[name.Key]bool, error) {
	names := map[name.Key]bool{}
	changes := func(of client.ChangeFilter) iter.Seq2[client.ChangeEvent, error] {
		return r.service.Changes(ctx, client.ChangeQuery{ChangeFilter: of, PageQuery: client.PageQuery{Limit: 200}})
	}
	for purge, err := range changes(client.ChangeFilter{Action: client.ActionAgentPurged}) {
		if err != nil {
			return nil, err
		}
		for e, err := range changes(client.ChangeFilter{Agent: purge.Resource.ID}) {
			if err != nil {
				return nil, err
			}
			names[agentfiles.Key(e.Resource.Name)] = true
		}
	}
	return names, nil
}

// newest returns the commit of the newest version of an agent that is of this
// history.
func (r *historyReplay) newest(ctx context.Context, id string) (int, error) {
	for v, err := range r.service.Versions(ctx, id, client.PageQuery{Limit: 5}) {
		if err != nil {
			return none, err
		}
		if v.Reason == nil {
			continue
		}
		if id, ok := agenthistory.CommitIn(*v.Reason); ok {
			if commit, ok := r.commits[id]; ok {
				return commit, nil
			}
		}
	}
	return none, nil
}

// remaining returns which of the steps about an agent are left to do: the last
// of them. now is the agent that the service has, if any, and gone are the newest
// commits of those that it had under this name.
//
// What came from this history is continued. Nothing can be put before what came
// from elsewhere, or before what was deleted here although the files have it:
// then there is only the last step.
func remaining(steps []agenthistory.Step, now *employee, gone []int) []agenthistory.Step {
	last := steps[len(steps)-1]
	over := none // the last step of a life that has ended in the service
	for i, s := range steps {
		if slices.ContainsFunc(gone, func(commit int) bool { return commit >= s.Commit }) {
			over = i
		}
	}
	for over != none && steps[over].Action != agenthistory.Fire && over < len(steps)-1 {
		over++
	}
	switch {
	case now != nil && now.commit != none:
		left := after(steps, now.commit)
		if len(left) == 0 && last.Commit < now.commit { // read with other options then
			return only(last, agenthistory.Update)
		}
		return left
	case now != nil:
		return only(last, agenthistory.Update)
	case over == len(steps)-1:
		return only(last, agenthistory.Hire)
	}
	return steps[over+1:]
}

// after returns the steps behind what a commit has made of an agent.
func after(steps []agenthistory.Step, commit int) []agenthistory.Step {
	for i, s := range slices.Backward(steps) {
		if s.Commit < commit || s.Commit == commit && s.Action != agenthistory.Fire {
			return steps[i+1:]
		}
	}
	return steps
}

// only is the last step of an agent as an action that makes it what it is in the
// end; nothing if it has left.
func only(last agenthistory.Step, action agenthistory.Action) []agenthistory.Step {
	if last.Action == agenthistory.Fire {
		return nil
	}
	last.Action, last.Was = action, agentfiles.Agent{}
	return []agenthistory.Step{last}
}
