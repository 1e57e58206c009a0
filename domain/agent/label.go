package agent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/label"
	"orgd/domain/name"
	"orgd/domain/revision"
)

// MaxLabels bounds the labels of an agent.
const MaxLabels = 16

var (
	// ErrNoLabel is a label that the agent does not have.
	ErrNoLabel = fault.New(fault.RecordNotFound, "label not found")
	// ErrNoVersion is a version, for a label, that the agent never had.
	ErrNoVersion = fault.New(fault.RecordNotFound, "the agent has no such version")
	// ErrFixed is a move or a removal of a fixed label.
	ErrFixed = fault.New(fault.Conflict, "a fixed label is never moved or removed")
	// ErrLabels is a label more than an agent may have.
	ErrLabels = fault.New(fault.Validation, "the agent has as many labels as it may have")
	// ErrProtected is a protected label for whoever may not move it.
	ErrProtected = fault.New(fault.Forbidden, "the label is protected")
)

// Label names a version of an agent.
type Label struct {
	Name    string
	Version int64
	Fixed   bool // for ever
	SetBy   string
	SetAt   time.Time
	Reason  *string
}

// find looks for the label of a name among labels, which are in the order of their names.
func find(labels []Label, name string) (at int, found bool) {
	return slices.BinarySearchFunc(labels, name, func(l Label, name string) int { return strings.Compare(l.Name, name) })
}

// Label returns one of the agent's labels, or [ErrNoLabel]. Of [label.Latest] only the version
// is known.
func (a Agent) Label(name string) (Label, error) {
	if name == label.Latest {
		return Label{Name: label.Latest, Version: a.Version}, nil
	}
	if at, found := find(a.Labels, name); found {
		return a.Labels[at], nil
	}
	return Label{}, noLabel(a.ID(), name)
}

func noLabel(id ID, name string) error { return ErrNoLabel.With("agent %s has no label %q", id, name) }

// VersionOf returns the version that a label of the agent names, or [ErrNoLabel]. It reads
// nothing else: that would be a third of what resolving a label takes.
func (r Record) VersionOf(name string) (int64, error) {
	if name == label.Latest {
		return r.Version, nil
	}
	// No text in JSON has a quote that is not escaped, so this is no part of a reason.
	_, rest, found := strings.Cut(r.Labels, labelBegins+name+versionFollows)
	if !found {
		return 0, noLabel(r.ID, name)
	}
	digits, _, _ := strings.Cut(rest, ",")
	version, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("agent %s: labels: %w", r.ID, err)
	}
	return version, nil
}

// How a label begins in what [LabelsText] returns.
const (
	labelBegins    = `{"label":"`
	versionFollows = `","version":`
)

// Move is an entry of the history of a label: what it named before and what it names.
type Move struct {
	Label    string
	Revision int64  // of the agent after it, by which the entries are ordered
	From, To int64  // versions; 0 for none
	By       string // the subject
	At       time.Time
	Reason   *string
	Way      audit.Way
}

// Moves selects entries of the history of a label of an agent, which may be gone: the newest
// first, beginning behind Before; 0 begins with the newest.
type Moves struct {
	Agent  ID
	Label  string
	Before int64 // revision
	Limit  int
}

// Placing says which version a label is to name.
type Placing struct {
	Label   string
	Version int64
	Fixed   *bool // nil: as it is
}

// LabelRule is what the rules for a label are decided by, beside the agent.
type LabelRule struct {
	Protected bool // by the department
	Direct    bool // the caller may move protected ones
	Below     bool // the version lies below the one that the label names, see [Below]
}

// Below reports whether a label that has named these versions, the oldest first and 0 where it
// was removed, may go back to a version. The moves of a label are a stack: a release lies on
// top, a move back to a version takes off what lay above it, and a removal takes off all. A
// version that was taken off is not gone back to: it is released again.
func Below(named []int64, version int64) bool {
	var stack []int64 // what the label names is the last of them
	for _, v := range named {
		at := slices.Index(stack, v)
		switch {
		case v == 0:
			stack = nil
		case at >= 0:
			stack = stack[:at+1]
		default:
			stack = append(stack, v)
		}
	}
	at := slices.Index(stack, version)
	return at >= 0 && at < len(stack)-1
}

// way returns how a caller may do this to a label, or [ErrProtected]. Going back is open to
// everybody who may move labels at all: to a version that lies below, for a reason.
func (r LabelRule) way(was, next Label, on activity.Cause) (audit.Way, error) {
	if !r.Protected || r.Direct {
		return audit.Direct, nil
	}
	goesBack := was.Version != 0 && next.Version != 0 && r.Below && next.Fixed == was.Fixed
	if goesBack && on.Reason != nil {
		return audit.Return, nil
	}
	if goesBack {
		return "", ErrProtected.With("label %q is protected: to go back to version %d, say why in reason", was.Name, next.Version)
	}
	return "", ErrProtected.With("label %q is protected: a department_admin of the agent's department or an admin may set, move and remove it; "+
		"you may go back, with a reason, to a version that it has named before and that was not taken back since", was.Name)
}

// Place has a label name a version. It returns [ErrNoVersion], [ErrFixed], [ErrLabels], or
// [ErrProtected] if the label is protected and the caller may not do this.
func (a Agent) Place(p Placing, rule LabelRule, on activity.Cause) (Step, error) {
	if p.Version < 1 || p.Version > a.Version {
		return Step{}, ErrNoVersion.With("%s", fault.Of(identity.NoVersion(a.ID(), p.Version, a.Version)).Msg)
	}
	at, exists := find(a.Labels, p.Label)
	was := Label{Name: p.Label}
	if exists {
		was = a.Labels[at]
	}
	next := Label{Name: p.Label, Version: p.Version, Fixed: was.Fixed, SetBy: on.By, SetAt: revision.Time(on.At, a.UpdatedAt), Reason: on.Reason}
	if p.Fixed != nil {
		next.Fixed = *p.Fixed
	}
	if next.Version == was.Version && next.Fixed == was.Fixed {
		return Step{Agent: a, From: a.Revision}, nil
	}
	way, err := rule.way(was, next, on)
	switch {
	case err != nil:
		return Step{}, err
	case was.Fixed:
		return Step{}, ErrFixed.With("label %q is fixed: it names version %d for ever", was.Name, was.Version)
	case !exists && len(a.Labels) == MaxLabels:
		return Step{}, ErrLabels.With("the agent has %d labels, and may have no more", MaxLabels)
	}
	labels := slices.Clone(a.Labels)
	if exists {
		labels[at] = next
	} else {
		labels = slices.Insert(labels, at, next)
	}
	return a.labeled(audit.LabelSet, labels, was, next.Version, way, on), nil
}

// Unplace removes a label. It returns [ErrNoLabel], [ErrFixed], or [ErrProtected] if the
// label is protected and the caller may not do this.
func (a Agent) Unplace(name string, rule LabelRule, on activity.Cause) (Step, error) {
	was, err := a.Label(name)
	if err != nil {
		return Step{}, err
	}
	way, err := rule.way(was, Label{}, on)
	if err != nil {
		return Step{}, err
	}
	if was.Fixed {
		return Step{}, ErrFixed.With("label %q is fixed: it cannot be removed", was.Name)
	}
	at, _ := find(a.Labels, name)
	labels := slices.Delete(slices.Clone(a.Labels), at, at+1)
	return a.labeled(audit.LabelRemoved, labels, was, 0, way, on), nil
}

// labeled is the step after which the agent has these labels. One of them was, and names
// the version to now, or is gone.
func (a Agent) labeled(action audit.Action, labels []Label, was Label, to int64, way audit.Way, on activity.Cause) Step {
	on.At = revision.Time(on.At, a.UpdatedAt)
	next := a
	next.Labels, next.Revision, next.UpdatedAt = labels, a.Revision+1, on.At
	c := next.logged(action, was.Version, to, on)
	c.Label, c.Way = was.Name, way
	return Step{Agent: next, From: a.Revision, Change: c, Moves: []Move{next.moved(was, to, way, on)}}
}

// moved is the entry of the history of a label that was, and names the version to now.
func (a Agent) moved(was Label, to int64, way audit.Way, on activity.Cause) Move {
	return Move{Label: was.Name, Revision: a.Revision, From: was.Version, To: to, By: on.By, At: on.At, Reason: on.Reason, Way: way}
}

// unlabeled are the entries of the history of the labels that an agent loses when it ends.
func (a Agent) unlabeled(on activity.Cause) (moves []Move) {
	a.Revision++ // which no step of it has had
	for _, l := range a.Labels {
		moves = append(moves, a.moved(l, 0, audit.Direct, on))
	}
	return moves
}

// LabelsText is the JSON form of labels that stores keep; "" of none.
func LabelsText(labels []Label) string {
	if len(labels) == 0 {
		return ""
	}
	return jsondoc.ObjectText(func(w *jsondoc.Writer) {
		w.Field("labels").OpenList()
		for _, l := range labels {
			w.Open()
			w.Field("label").Text(l.Name)
			w.Field("version").Int(l.Version)
			w.Field("fixed").Bool(l.Fixed)
			w.Field("set_by").Text(l.SetBy)
			w.Field("set_at").Time(l.SetAt)
			w.Field("reason").TextOrNull(l.Reason)
			w.Close()
		}
		w.CloseList()
	})
}

// ParseLabels reads the stored form of labels back.
func ParseLabels(text string) (labels []Label, err error) {
	if text == "" {
		return nil, nil
	}
	const long = 1 << 20 // bounds what was checked when it was written
	err = jsondoc.ReadStored(text, func(r *jsondoc.Reader) {
		jsondoc.List(r, "labels", &labels, MaxLabels, func(r *jsondoc.Reader, l *Label) {
			r.Text("label", &l.Name, 1, label.MaxLength)
			r.Int("version", &l.Version, 1, 1<<53)
			r.Bool("fixed", &l.Fixed)
			r.Text("set_by", &l.SetBy, 0, long)
			r.Time("set_at", &l.SetAt)
			r.TextOrNull("reason", &l.Reason, 0, long)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	return labels, nil
}

// Resolved is an agent as a label names it: the agent's current place in the organization,
// and the content of the version, as it is stored.
type Resolved struct {
	ID         ID
	Name       string
	Department string
	Status     identity.Status
	OrderKey   OrderKey
	Label      string
	Version    int64
	Content    identity.Stored // of the version
	Bytes      int             // that were read of the agent itself
}

// Size implements [page.Row].
func (r Resolved) Size() int { return max(r.Bytes, len(r.Content.Text)) }

// Position returns the position of r in the organization's order.
func (r Resolved) Position() Position { return Position{OrderKey: r.OrderKey, ID: r.ID} }

// Write writes r, an object.
func (r Resolved) Write(w *jsondoc.Writer) {
	w.Open()
	w.Field("agent_id").Text(string(r.ID))
	w.Field("name").Text(r.Name)
	w.Field("department").Text(r.Department)
	w.Field("status").Text(string(r.Status))
	w.Field("label").Text(r.Label)
	w.Field("version").Int(r.Version)
	w.Field("content_hash").Text(r.Content.Hash)
	w.Field("snapshot").Raw(r.Content.Text)
	w.Close()
}

// LabelQuery selects a page of the agents that have a label, in the organization's order.
type LabelQuery struct {
	Label      string
	Department name.Key        // "" means any
	Status     identity.Status // "" means any
	Owner      string          // "" means any
	Tags       []string        // the agent has all of them
	After      *Position       // agents behind this position; nil means from the first
	Limit      int
}

// Agents is the query without its label: of all agents.
func (q LabelQuery) Agents() Query {
	return Query{Department: q.Department, Status: q.Status, Owner: q.Owner, Tags: q.Tags, After: q.After, Limit: q.Limit}
}
