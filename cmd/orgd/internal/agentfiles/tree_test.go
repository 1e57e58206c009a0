package agentfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// files makes a tree in memory.
func files(texts map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for path, text := range texts {
		tree[path] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return tree
}

func TestRead(t *testing.T) {
	const ada = "---\nname: ada\ndescription: d\n---\n"
	tree := files(map[string]string{
		"README.md": "# All\n", "core/ReadMe.zh-CN.md": ada, "core/SKILL.md": ada, "core/AGENTS.md": ada,
		"core/ada.md": ada, "core/security.md": "---\nname: security\ntools: Read\n---\n", "core/notes.md": "Notes.\n",
		"core/ada.txt": ada, "core/LICENSE": ada, ".git/x.md": ada, "core/.hidden/x.md": ada, "web/node_modules/x.md": ada,
		"plugins/web/commands/ada.md": ada, "plugins/web/Skills/ada/run.md": ada,
		"plugins/web/agents/Bob.MARKDOWN": "---\nname: Bob\ndescription: a: b\n---\n",
	})
	tree["core/link.md"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("ada.md")}
	tree["core/pipe.md"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	got, err := Scope{}.Read(tree)
	if err != nil {
		t.Fatalf("Read = %v, want none", err)
	}
	want := Tree{
		Agents: []Agent{
			{Path: "core/ada.md", Name: "ada", Department: "core", Description: "d"},
			{Path: "core/security.md", Name: "security", Department: "core", Tools: []string{"Read"}},
			{Path: "plugins/web/agents/Bob.MARKDOWN", Name: "Bob", Department: "web", Description: "a: b", Lenient: true},
		},
		Skipped: []Skip{
			{"README.md", "is not about one agent"},
			{"core/AGENTS.md", "is not about one agent"},
			{"core/ReadMe.zh-CN.md", "is not about one agent"},
			{"core/SKILL.md", "is not about one agent"},
			{"core/link.md", "is a symbolic link"},
			{"core/notes.md", "has no front matter"},
			{"core/pipe.md", "is not a regular file"},
			{"plugins/web/Skills/ada/run.md", "lies in a folder skills"},
			{"plugins/web/commands/ada.md", "lies in a folder commands"},
			{"web/node_modules/x.md", "lies in a folder node_modules, which has what others wrote; --include takes it"},
		},
	}
	if diff := cmp.Diff(want, got, plainly); diff != "" {
		t.Errorf("Read (-want +got):\n%s", diff)
	}
}

// What others wrote is left out and counted: what Git ignores, other repositories inside, and
// the folders that tools fill. A pattern that begins in one of these places takes it.
func TestReadLeavesOutWhatOthersWrote(t *testing.T) {
	texts := map[string]string{".git/HEAD": "", "sub/.git": "gitdir: elsewhere", "nested/deep/.git/HEAD": ""}
	for _, path := range []string{
		"core/own.md", "agents/vendor/negotiator.md", "vendor/x/agents/a.md", "web/dist/b.md", "agents/node_modules/c/c.md",
		"sub/core/d.md", "nested/deep/e.md", "nested/f.md", "build/g.md", "core/draft.md",
	} {
		texts[path] = "---\nname: " + strings.TrimSuffix(filepath.Base(path), ".md") + "\ndescription: d\n---\n"
	}
	ignored := []string{"build/", "core/draft.md"}
	read := func(include ...string) (names []string, skipped []Skip) {
		t.Helper()
		got, err := Scope{Ignored: ignored, Include: include}.Read(files(texts))
		if err != nil || len(got.Bad) > 0 {
			t.Fatalf("Read = %v, %v", got.Bad, err)
		}
		for _, a := range got.Agents {
			names = append(names, a.Name)
		}
		return names, got.Skipped
	}
	got, skipped := read()
	if diff := cmp.Diff([]string{"negotiator", "own", "f"}, got); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	want := []Skip{
		{"agents/node_modules/c/c.md", "lies in a folder node_modules, which has what others wrote; --include takes it"},
		{"build/g.md", "is ignored by Git; --include takes it"},
		{"core/draft.md", "is ignored by Git; --include takes it"},
		{"nested/deep/e.md", "lies in another repository; --include takes it"},
		{"sub/core/d.md", "lies in another repository; --include takes it"},
		{"vendor/x/agents/a.md", "lies in a folder vendor, which has what others wrote; --include takes it"},
		{"web/dist/b.md", "lies in a folder dist, which has what others wrote; --include takes it"},
	}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	for pattern, want := range map[string][]string{
		"**/*.md":           {"negotiator", "own", "f"},
		"vendor/**/*.md":    {"a"},
		"vendor/x/**":       {"a"},
		"web/**":            nil,
		"web/dist/b.md":     {"b"},
		"sub/core/*.md":     {"d"},
		"nested/**":         {"f"},
		"nested/deep/*":     {"e"},
		"build/*":           {"g"},
		"core/draft.md":     {"draft"},
		"{core,build}/*.md": {"own"},
	} {
		if got, _ := read(pattern); !cmp.Equal(want, got) {
			t.Errorf("with --include %s Read finds %q, want %q", pattern, got, want)
		}
	}
}

// A folder of others that cannot be read is no mistake.
func TestReadUnreadableOfOthers(t *testing.T) {
	tree := unreadable{files(map[string]string{"build/x/b.md": "", "core/c.md": "---\nname: c\ndescription: d\n---\n"}), "build/x"}
	got, err := Scope{Ignored: []string{"build/"}}.Read(tree)
	if err != nil || len(got.Bad) > 0 || len(got.Agents) != 1 {
		t.Errorf("Read = %v, %v, %v, want one agent and no mistake", got.Agents, got.Bad, err)
	}
}

// One look finds all mistakes in all files.
func TestReadMistakes(t *testing.T) {
	got, err := anywhere.Read(files(map[string]string{
		"a/one.md": "---\nname: Ada\n---\n",
		"b/two.md": "---\n\nname: ada\ntools: {x: y}\n---\n",
		"four.md":  "---\nname: ..\n",
		"\xff.md":  "---\nname: x\n---\n",
	}))
	want := `b/two.md:4: tools: must be a list of names or a text with commas
four.md:1: front matter: no line --- ends it
"\xff.md": the name of the file must be UTF-8`
	if diff := cmp.Diff(want, got.Bad.Error()); err != nil || len(got.Agents) != 1 || diff != "" {
		t.Errorf("Read = %+v, %v (-want +got):\n%s", got, err, diff)
	}
}

// A real directory has files and links that a tree in memory has not.
func TestReadDirectory(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("in/core/ada.md", "---\nname: ada\n---\n")
	write("in/core/huge.md", "---\nname: huge\n---\n"+strings.Repeat("x", 3*MaxSize))
	write("out/bob.md", "---\nname: bob\n---\n")
	for link, to := range map[string]string{"in/core/bob.md": "../../out/bob.md", "in/out": "../out", "in/core/gone.md": "nowhere", "in/loop": "."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := anywhere.Read(os.DirFS(filepath.Join(dir, "in")))
	if err != nil || got.Bad.Error() != "core/huge.md: must be at most 262144 bytes, it has 786451" {
		t.Errorf("Read = %v, %v, want the huge file", got.Bad, err)
	}
	if len(got.Agents) != 1 || got.Agents[0].Name != "ada" {
		t.Errorf("Read = %+v, want ada and nobody behind a link", got.Agents)
	}
	if _, err := anywhere.Read(os.DirFS(filepath.Join(dir, "none"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read = %v, want that there is no such directory", err)
	}
}

// A file that cannot be read is a mistake as any other.
func TestReadUnreadable(t *testing.T) {
	tree := unreadable{files(map[string]string{"a/b.md": "", "a/c.md": "---\nname: c\n---\n"}), "a/b.md"}
	got, err := anywhere.Read(tree)
	if err != nil || got.Bad.Error() != "a/b.md: cannot be read: permission denied" {
		t.Errorf("Read = %v, %v, want the file and why", got.Bad, err)
	}
}

// unreadable refuses to open one file.
type unreadable struct {
	fs.FS
	path string
}

func (u unreadable) Open(path string) (fs.File, error) {
	if path == u.path {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	return u.FS.Open(path)
}
