// Package agenthistory reads from a Git repository what the agents in one of its
// directories have ever been: who came, who changed, who left, commit by commit.
//
// An agent is who its name says it is. A file that moves, and a folder that is
// renamed, change the department at most; another name is another agent.
package agenthistory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"orgd/cmd/orgd/internal/agentfiles"
	"orgd/domain/name"
)

// Action is what a step does.
type Action string

// The actions.
const (
	Hire   Action = "hire"
	Update Action = "update"
	Fire   Action = "fire"
)

// Step is what one commit means for one agent.
type Step struct {
	Action Action
	// Commit is the index in [History.Commits].
	Commit int
	// Key is who it is about, in any spelling.
	Key name.Key
	// Agent is what the agent is from then on; for a fire, what it was.
	Agent agentfiles.Agent
	// Was is what an update finds; nothing is known of it if it has no name.
	Was agentfiles.Agent
}

// History is what a directory has been.
type History struct {
	Commits []Commit // parents first
	Steps   []Step   // in their order
	// Head is what the directory is in the last commit.
	Head agentfiles.Tree
	// Renamed says who has another name in the last commit than in the file.
	Renamed []string
	// Notices tell of revisions that could not be read, in order.
	Notices []string
	// Shallow says that the repository does not have the beginning.
	Shallow bool
}

// Read reads the history of a directory up to the commit that is checked out.
// What is not committed is not looked at. What is wrong in an older revision is
// noticed and that revision left out. progress is told how many commits are done.
func Read(ctx context.Context, dir string, scope agentfiles.Scope, progress func(done, total int)) (h History, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = ctx.Err() // which has ended Git, and that is no news
		}
	}()
	c := checkout{dir}
	shallow, err := c.output(ctx, nil, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return h, err
	}
	if _, err := c.output(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return h, errors.New("there are no commits yet")
	}
	contents, err := c.blobs(ctx)
	if err != nil {
		return h, err
	}
	defer func() { err = cmp.Or(err, contents.close()) }()
	r := replay{
		contents: contents, scope: scope,
		files: map[string]file{}, names: map[name.Key]map[string]bool{}, alive: map[name.Key]agentfiles.Agent{},
	}
	r.Shallow = string(shallow) == "true\n"
	if err := r.head(ctx, c); err != nil {
		return h, err
	}
	if r.Commits, err = c.commits(ctx); err != nil {
		return h, err
	}
	changes, err := c.changes(ctx, r.Commits)
	if err != nil {
		return h, err
	}
	for i, commit := range r.Commits {
		if err := r.commit(i, changes[commit.ID]); err != nil {
			return h, err
		}
		progress(i+1, len(r.Commits))
	}
	r.finish()
	return r.History, nil
}

// file is the last revision of a file that could be read.
type file struct {
	blob  string // also of one that could not
	agent *agentfiles.Agent
}

// replay is the tree as it is after each commit.
type replay struct {
	History
	contents *blobs
	scope    agentfiles.Scope
	distinct agentfiles.Names // those of the last commit

	files map[string]file              // by path
	names map[name.Key]map[string]bool // the paths that define an agent
	alive map[name.Key]agentfiles.Agent
}

// head reads the last commit. It comes first, because its names hold for all commits.
func (r *replay) head(ctx context.Context, c checkout) error {
	files, err := c.files(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !r.scope.InScope(f.path) {
			continue
		}
		if err := r.Head.Add(r.parse(f)); err != nil {
			return err
		}
	}
	r.distinct, r.Renamed = r.Head.GiveNames(nil)
	return nil
}

// parse reads a revision of a file.
func (r *replay) parse(f change) (agentfiles.Agent, error) {
	if err := r.scope.Candidate(f.path, f.mode); err != nil {
		return agentfiles.Agent{}, err
	}
	text, size, err := r.contents.read(f.blob)
	if errors.Is(err, errMissing) {
		return agentfiles.Agent{}, agentfiles.Mistakes{{Path: f.path, Text: err.Error()}}
	}
	if err != nil {
		return agentfiles.Agent{}, err
	}
	a, err := r.scope.ParseBeginning(f.path, text, size)
	a.Name = r.distinct.Of(a)
	return a, err
}

// commit applies what a commit has changed.
func (r *replay) commit(i int, changes []change) error {
	touched := map[name.Key]bool{}
	for _, ch := range changes {
		if !r.scope.InScope(ch.path) || r.files[ch.path].blob == ch.blob {
			continue // a merge tells again what its parents have
		}
		next := file{blob: ch.blob}
		if ch.blob != "" {
			a, err := r.parse(ch)
			if err != nil {
				if err := r.leaveOut(i, ch, err); err != nil {
					return err
				}
				continue
			}
			next.agent = &a
		}
		r.put(ch.path, next, touched)
	}
	for _, key := range slices.Sorted(maps.Keys(touched)) {
		r.steps(i, key)
	}
	return nil
}

// leaveOut keeps a file as it was before a revision that is no definition. It
// returns errors that are not about the file.
func (r *replay) leaveOut(i int, ch change, err error) error {
	var mistakes agentfiles.Mistakes
	var skip agentfiles.Skip
	before := r.files[ch.path]
	switch {
	case errors.As(err, &mistakes):
		for _, m := range mistakes {
			r.notice(i, m.String())
		}
	case !errors.As(err, &skip):
		return err
	case before.agent != nil:
		r.notice(i, skip.Error())
	}
	before.blob = ch.blob
	r.files[ch.path] = before
	return nil
}

func (r *replay) notice(i int, text string) {
	r.Notices = append(r.Notices, fmt.Sprintf("%s: %s", r.Commits[i].Short(), text))
}

// put stores a revision of a file and notes whose definition it touches.
func (r *replay) put(path string, next file, touched map[name.Key]bool) {
	if before := r.files[path].agent; before != nil {
		key := agentfiles.Key(before.Name)
		delete(r.names[key], path)
		touched[key] = true
	}
	if next.blob == "" {
		delete(r.files, path)
		return
	}
	r.files[path] = next
	key := agentfiles.Key(next.agent.Name)
	if r.names[key] == nil {
		r.names[key] = map[string]bool{}
	}
	r.names[key][path] = true
	touched[key] = true
}

// steps appends the steps that an agent has to take. If several files define the agent,
// the one that defined it before goes on doing so.
func (r *replay) steps(i int, key name.Key) {
	was, employed := r.alive[key]
	paths := slices.Sorted(maps.Keys(r.names[key]))
	if len(paths) == 0 {
		if employed {
			r.step(Step{Action: Fire, Commit: i, Key: key, Agent: was})
		}
		return
	}
	path := paths[0]
	if before := r.files[was.Path].agent; employed && slices.Contains(paths, was.Path) && !before.IsOneWith(*r.files[path].agent) {
		path = was.Path
	}
	for _, other := range paths {
		if other != path && !r.files[other].agent.IsOneWith(*r.files[path].agent) {
			r.notice(i, agentfiles.Skip{Path: other, Why: fmt.Sprintf("left out, because %q defines %q too", path, r.files[path].agent.Name)}.Error())
		}
	}
	r.become(i, key, *r.files[path].agent)
}

// become makes an agent what a definition says.
func (r *replay) become(i int, key name.Key, a agentfiles.Agent) {
	was, employed := r.alive[key]
	switch {
	case !employed:
		r.step(Step{Action: Hire, Commit: i, Key: key, Agent: a})
	case !was.Same(a):
		r.step(Step{Action: Update, Commit: i, Key: key, Agent: a, Was: was})
	default:
		r.alive[key] = a // its file may have moved
	}
}

func (r *replay) step(s Step) {
	r.Steps = append(r.Steps, s)
	if s.Action == Fire {
		delete(r.alive, s.Key)
		return
	}
	r.alive[s.Key] = s.Agent
}

// finish makes sure that what comes out is the last commit. A file that is bad there
// keeps the agent that it defined last.
func (r *replay) finish() {
	last := len(r.Commits) - 1
	there, bad := map[name.Key]bool{}, map[string]bool{}
	for _, m := range r.Head.Bad {
		bad[m.Path] = true
	}
	for _, a := range r.Head.Agents {
		key := agentfiles.Key(a.Name)
		there[key] = true
		r.become(last, key, a)
	}
	for _, key := range slices.Sorted(maps.Keys(r.alive)) {
		if !there[key] && !bad[r.alive[key].Path] {
			r.step(Step{Action: Fire, Commit: last, Key: key, Agent: r.alive[key]})
		}
	}
}
