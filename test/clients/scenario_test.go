package clients

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"orgd/client"
)

// scenario is a story, told in steps. Its drivers have a directory, a token of role viewer
// and the service behind the proxy.
type scenario struct {
	Name  string         `yaml:"name"`
	Ahead time.Duration  `yaml:"ahead"` // of the service's clock
	Role  string         `yaml:"role"`  // of the token
	Open  map[string]any `yaml:"open"`  // how drivers open their client, beside the usual
	Steps []step         `yaml:"steps"`
}

// step is one step: what is set happens, in this order.
type step struct {
	// What happens in the organization. A label that is moved is "production".
	Hire   string `yaml:"hire"`
	In     string `yaml:"in"`     // department of who is hired
	Bytes  int    `yaml:"bytes"`  // of the instructions of who is hired, at least
	Crowd  int    `yaml:"crowd"`  // so many agents are hired, whose names are the one of hire and a number
	Edit   string `yaml:"edit"`   // an agent gets a version more
	Label  string `yaml:"label"`  // an agent's label is moved
	To     int64  `yaml:"to"`     // this version
	Unset  string `yaml:"unset"`  // an agent's label is removed
	Status string `yaml:"status"` // an agent gets a status
	Is     string `yaml:"is"`
	Fire   string `yaml:"fire"` // an agent is deleted

	// What happens to the service, which is stopped for it and started again.
	Rekey bool `yaml:"rekey"` // it has another cursor key

	// What happens on the way.
	Fault *fault `yaml:"fault"`
	Pass  bool   `yaml:"pass"`
	Drop  bool   `yaml:"drop"` // the connections that there are end

	// What happens on the machine of the driver.
	Token  string `yaml:"token"`  // a role whose token is written into the file, or "" for what is no token
	Only   string `yaml:"only"`   // the department that the token is for
	Lose   bool   `yaml:"lose"`   // the file with the token is gone
	Revoke bool   `yaml:"revoke"` // all tokens
	Full   bool   `yaml:"full"`   // nothing can be written into the directory
	Room   bool   `yaml:"room"`   // again it can
	Spoil  bool   `yaml:"spoil"`  // every file in the directory has half of what it had
	Forge  bool   `yaml:"forge"`  // every file in the directory says version 7 instead of version 1
	Shared bool   `yaml:"shared"` // others may write into the directory
	Kill   bool   `yaml:"kill"`   // the driver is killed
	Leave  bool   `yaml:"leave"`  // the driver's input ends
	// Freeze is how many seconds the driver stands still, before anything else happens on the way.
	Freeze float64 `yaml:"freeze"`

	// What a driver does: its name, "" for the first. Each has a process of its own.
	Driver string         `yaml:"driver"`
	Do     map[string]any `yaml:"do"`
	Send   map[string]any `yaml:"send"`   // as do, but nobody waits for the answer
	Report int            `yaml:"report"` // so many events about
	About  string         `yaml:"about"`
	Want   any            `yaml:"want"`   // what the answer has
	Within float64        `yaml:"within"` // seconds, in which what is wanted has to come

	// What is checked.
	Reported *int       `yaml:"reported"` // events that the service has, each once
	Recent   bool       `yaml:"recent"`   // by the service's clock
	Requests *requests  `yaml:"requests"`
	Files    *fileCount `yaml:"files"`
	Sleep    float64    `yaml:"sleep"` // seconds, before the checks
}

// requests is how many there were since the last such step.
type requests struct {
	Path  string `yaml:"path"`
	Least int    `yaml:"least"`
	Most  int    `yaml:"most"`
}

// fileCount is how many files match a pattern.
type fileCount struct {
	Match string `yaml:"match"`
	Count int    `yaml:"count"`
}

// stage is where a scenario takes place.
type stage struct {
	scenario
	command   []string
	service   *service
	proxy     *proxy
	directory string
	tokenFile string
	drivers   map[string]*running
	counted   map[string]int // requests, by path
	events    int            // that were reported
}

// run runs a scenario with drivers that are started like this.
func (s scenario) run(t *testing.T, command []string) {
	service := serve(t, s.Ahead)
	dir := t.TempDir()
	g := &stage{
		scenario: s, command: command, service: service, drivers: map[string]*running{}, counted: map[string]int{},
		proxy:     startProxy(t, service.url, func() time.Time { return time.Now().Add(s.Ahead) }),
		directory: filepath.Join(dir, "kept"), tokenFile: filepath.Join(dir, "token"),
	}
	role := s.Role
	if role == "" {
		role = "viewer"
	}
	g.writeToken(t, service.token(t, role, ""))
	for i, step := range s.Steps {
		if err := g.step(t, step); err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
	}
	for _, r := range g.drivers {
		if !r.ended {
			r.leave(t)
		}
	}
}

func (g *stage) writeToken(t *testing.T, token string) {
	t.Helper()
	if err := os.WriteFile(g.tokenFile, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (g *stage) step(t *testing.T, s step) error {
	if s.Rekey {
		g.service.rekey(t)
	}
	g.organize(t, s)
	if s.Freeze > 0 {
		if err := g.freeze(t, s); err != nil {
			return err
		}
	}
	if s.Fault != nil {
		g.proxy.set(s.Fault)
	}
	if s.Pass {
		g.proxy.set(nil)
	}
	if s.Drop {
		g.proxy.drop()
	}
	g.prepare(t, s)
	if err := g.drive(t, s); err != nil {
		return err
	}
	time.Sleep(time.Duration(s.Sleep * float64(time.Second)))
	return g.check(t, s)
}

func (g *stage) organize(t *testing.T, s step) {
	t.Helper()
	ctx, admin := t.Context(), g.service.admin
	if s.Hire != "" {
		department := s.In
		if department == "" {
			department = "Engineering"
		}
		g.service.hire(t, s.Hire, department, s.Bytes)
		for i := range s.Crowd {
			g.service.hire(t, fmt.Sprint(s.Hire, i+1), department, s.Bytes)
		}
	}
	if s.Edit != "" {
		before := must(admin.Agent(ctx, s.Edit))(t)
		must(admin.PatchAgent(ctx, s.Edit, client.Object{"instructions": fmt.Sprintf("version %d", before.Version+1)}))(t)
	}
	if s.Label != "" {
		g.service.label(t, s.Label, s.To)
	}
	var err error
	if s.Unset != "" {
		err = admin.RemoveLabel(ctx, s.Unset, "production")
	}
	if s.Status != "" {
		_, err = admin.PatchAgent(ctx, s.Status, client.Object{"status": s.Is})
	}
	if s.Fire != "" {
		err = admin.DeleteAgent(ctx, s.Fire)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// prepare changes what drivers find on their machine.
func (g *stage) prepare(t *testing.T, s step) {
	t.Helper()
	if s.Revoke {
		g.service.revoke(t)
	}
	if s.Token != "" {
		g.writeToken(t, g.service.token(t, s.Token, s.Only))
	}
	var err error
	if s.Lose {
		err = os.Remove(g.tokenFile)
	}
	if s.Full { // a file in the place of the directory, as root may write anywhere
		err = errors.Join(os.RemoveAll(g.directory), os.WriteFile(g.directory, nil, 0o600))
	}
	if s.Room {
		err = os.Remove(g.directory)
	}
	if s.Spoil {
		err = g.eachFile(func(text []byte) []byte { return text[:len(text)/2] })
	}
	if s.Forge {
		err = g.eachFile(func(text []byte) []byte { return versionOne.ReplaceAll(text, []byte(`"version":7,`)) })
	}
	if s.Shared {
		err = os.Chmod(g.directory, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// versionOne is a version in a file, as each language writes it.
var versionOne = regexp.MustCompile(`"version": ?1,`)

// eachFile changes every file in the directory.
func (g *stage) eachFile(change func([]byte) []byte) error {
	return filepath.WalkDir(g.directory, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		return errors.Join(err, os.WriteFile(name, change(text), 0o600))
	})
}

// driver returns the driver of a step, started and open.
func (g *stage) driver(t *testing.T, name string) (*running, error) {
	t.Helper()
	if r := g.drivers[name]; r != nil && !r.ended {
		return r, nil
	}
	r := start(t, g.command)
	g.drivers[name] = r
	open := map[string]any{
		"do": "open", "server": g.proxy.url, "token_file": g.tokenFile, "directory": g.directory, "max_age": 0.2, "timeout": 5,
	}
	maps.Copy(open, g.Open)
	if open["directory"] == "" {
		delete(open, "directory")
	}
	answer, err := r.do(open)
	if err == nil && answer["failed"] != nil {
		err = fmt.Errorf("open: %v", answer["failed"])
	}
	return r, err
}

// freeze has a driver stand still.
func (g *stage) freeze(t *testing.T, s step) error {
	r, err := g.driver(t, s.Driver)
	if err != nil {
		return err
	}
	if err := r.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	time.Sleep(time.Duration(s.Freeze * float64(time.Second)))
	return r.cmd.Process.Signal(syscall.SIGCONT)
}

// drive has a driver do what the step says.
func (g *stage) drive(t *testing.T, s step) error {
	command := s.Do
	if s.Report > 0 {
		command = map[string]any{"do": "report", "events": g.makeEvents(s.Report, s.About)}
	}
	if command == nil && s.Send == nil && !s.Kill && !s.Leave {
		return nil
	}
	r, err := g.driver(t, s.Driver)
	if err != nil {
		return err
	}
	if s.Send != nil {
		if err := r.send(s.Send); err != nil {
			return err
		}
	}
	if command != nil {
		if err := demand(r, command, s); err != nil {
			return err
		}
	}
	if s.Kill {
		time.Sleep(time.Duration(s.Within * float64(time.Second)))
		r.kill()
	}
	if s.Leave {
		r.leave(t)
	}
	return nil
}

// demand has a driver do something until the answer is as wanted.
func demand(r *running, command map[string]any, s step) error {
	for end := time.Now().Add(time.Duration(s.Within * float64(time.Second))); ; time.Sleep(20 * time.Millisecond) {
		answer, err := r.do(command)
		if err != nil {
			return err
		}
		if err = differs("", s.Want, answer); err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%v answers %v: %w", command["do"], answer, err)
		}
	}
}

func (g *stage) makeEvents(n int, about string) (all []any) {
	for range n {
		g.events++
		all = append(all, map[string]any{
			"agent": about, "event_type": "tool_used", "data": map[string]any{"tool": fmt.Sprintf("t%d", g.events), "success": true},
		})
	}
	return all
}

func (g *stage) check(t *testing.T, s step) error {
	if s.Reported != nil {
		if err := eventually(s.Within, func() error { return g.service.reported(t.Context(), *s.Reported, s.Recent) }); err != nil {
			return err
		}
	}
	if q := s.Requests; q != nil {
		all := g.proxy.seen(q.Path)
		n := all - g.counted[q.Path]
		g.counted[q.Path] = all
		if n < q.Least || n > q.Most {
			return fmt.Errorf("%d requests of %s, want %d to %d", n, q.Path, q.Least, q.Most)
		}
	}
	if f := s.Files; f != nil {
		return eventually(s.Within, func() error { // a file is removed a little after the answer to what is in it
			all, err := filepath.Glob(filepath.Join(g.directory, f.Match))
			if err != nil || len(all) != f.Count {
				return fmt.Errorf("the files %s are %q, %v, want %d", f.Match, all, err, f.Count)
			}
			return nil
		})
	}
	return nil
}

// eventually tries again for some seconds.
func eventually(seconds float64, try func() error) error {
	for end := time.Now().Add(time.Duration(seconds * float64(time.Second))); ; time.Sleep(50 * time.Millisecond) {
		if err := try(); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// differs returns in what an answer is not as wanted: of an object only the wanted members
// count, of a list all items.
func differs(at string, want, have any) error {
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, want an object", at, have)
		}
		for name, value := range want {
			if err := differs(strings.TrimPrefix(at+"."+name, "."), value, object[name]); err != nil {
				return err
			}
		}
	case []any:
		list, ok := have.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s is %v, want %d items", at, have, len(want))
		}
		for i, value := range want {
			if err := differs(fmt.Sprintf("%s[%d]", at, i), value, list[i]); err != nil {
				return err
			}
		}
	case nil:
		if at != "" && have != nil {
			return fmt.Errorf("%s is %v, want none", at, have)
		}
	default:
		if fmt.Sprint(want) != fmt.Sprint(have) {
			return fmt.Errorf("%s is %v, want %v", at, have, want)
		}
	}
	return nil
}
