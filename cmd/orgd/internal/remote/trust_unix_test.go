//go:build unix

package remote

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"orgd/cmd/orgd/internal/terminal"
)

// stranger is a user who is neither root nor the one of the test.
func stranger() uint32 { return uint32(os.Getuid()) + 54321 }

func TestOwn(t *testing.T) {
	me := uint32(os.Getuid())
	for name, tt := range map[string]struct {
		owner        uint32
		mode, others fs.FileMode
		want         string
	}{
		"mine":                     {me, 0o644, othersWrite, ""},
		"root's":                   {0, 0o755, othersWrite, ""},
		"a stranger's":             {stranger(), 0o600, othersWrite, "f belongs to user "},
		"the group may write":      {me, 0o660, othersWrite, "others may write f (chmod go-w f)"},
		"all may write":            {me, 0o602, othersWrite, "others may write f (chmod go-w f)"},
		"a secret":                 {me, 0o600, othersUse, ""},
		"a secret to read":         {me, 0o604, othersUse, "others may use f (chmod 600 f)"},
		"a stranger's secret":      {stranger(), 0o600, othersUse, "f belongs to user "},
		"a secret that all change": {me, 0o622, othersUse, "others may write f"},
	} {
		err := own("f", tt.owner, tt.mode, tt.others)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: own = %v, want %q", name, err, tt.want)
		}
	}
}

func TestMayReplace(t *testing.T) {
	const me = 1000
	for name, tt := range map[string]struct {
		owner, group, mode uint32
		me                 int
		want               bool
	}{
		"mine":                          {me, me, 0o755, me, false},
		"root's":                        {0, 0, 0o755, me, false},
		"a stranger's":                  {7, 7, 0o755, me, true},
		"root in a stranger's":          {7, 7, 0o755, 0, false},
		"all may write":                 {me, me, 0o757, me, true},
		"all may write, sticky":         {0, 0, 0o1777, me, false},
		"sticky, but a stranger's":      {7, 7, 0o1777, me, true},
		"my own group may write":        {0, me, 0o2775, me, false},
		"another group may write":       {me, 50, 0o775, me, true},
		"another group, sticky":         {me, 50, 0o1775, me, false},
		"root in what all may write in": {0, 0, 0o777, 0, true},
	} {
		if got := mayReplace(tt.owner, tt.group, tt.mode, tt.me); got != tt.want {
			t.Errorf("%s: mayReplace = %v, want %v", name, got, tt.want)
		}
	}
}

// What the directory says counts only if nobody else can have said it.
func TestReadServed(t *testing.T) {
	const here = "http://127.0.0.1:8080"
	for name, tt := range map[string]struct {
		url    string
		change func(t *testing.T, dir string) // dir is DIR/data
		want   string                         // the error; "" is that it counts
	}{
		"mine":                {here, nothing, ""},
		"IPv6":                {"http://[::1]:8080", nothing, ""},
		"others may read it":  {here, mode(0o755, ""), ""},
		"a link to my own":    {here, linkedDirectory, ""},
		"file for the group":  {here, mode(0o620, ServedFile), "others may write data/orgd.url (chmod go-w data/orgd.url), so it was not used"},
		"file for all":        {here, mode(0o606, ServedFile), "others may write data/orgd.url"},
		"directory for all":   {here, mode(0o707, ""), "others may write data (chmod go-w data), so it was not used"},
		"directory, group":    {here, mode(0o770, ""), "others may write data"},
		"sticky directory":    {here, mode(0o777|fs.ModeSticky, ""), "others may write data"},
		"parent for all":      {here, mode(0o777, ".."), "others may replace data, because they may write in "},
		"sticky parent":       {here, mode(0o777|fs.ModeSticky, ".."), ""},
		"a link":              {here, linkedFile, "data/orgd.url is a link, so it was not used"},
		"a pipe":              {here, pipe, "data/orgd.url is not a file, so it was not used"},
		"another machine":     {"http://orgd.example:8080", nothing, `data/orgd.url names "http://orgd.example:8080", which is not a loopback address, so it was not used`},
		"another in disguise": {"http://127.0.0.1:80@orgd.example", nothing, "which is not a loopback address"},
		"a user":              {"http://me@127.0.0.1", nothing, "which is not a loopback address"},
		"a stranger's file":   {here, given(ServedFile), "data/orgd.url belongs to user "},
		"a stranger's dir":    {here, given(""), "data belongs to user "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Mkdir("data", 0o700); err != nil {
				t.Fatal(err)
			}
			f, err := MarkServed("data", tt.url)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			tt.change(t, "data")
			s, err := readServed("data")
			if tt.want == "" && (err != nil || s == nil || s.url != tt.url) {
				t.Errorf("readServed = %+v, %v, want %s", s, err, tt.url)
			}
			if tt.want != "" && (s != nil || err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("readServed = %+v, %v, want %q", s, err, tt.want)
			}
		})
	}
}

// A token that was given goes to the default address beside a directory that does not
// count, as beside none: in a container with a volume of a group, for example.
func TestGivenTokenWithoutServer(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("data", 0o700))
	f, err := MarkServed("data", "http://127.0.0.1:9999")
	must(t, err)
	defer f.Close()
	must(t, os.Chmod("data", 0o770))
	vars := map[string]string{"ORGD_TOKEN": "given"}
	user := &terminal.Terminal{Getenv: func(name string) string { return vars[name] }, UserDir: t.TempDir()}
	c, err := ServerFlag{}.connection(user)
	if err != nil || c.Server != DefaultServer || c.Token != "given" {
		t.Errorf("connection = %s with %q, %v, want %s", c.Server, c.Token, err, DefaultServer)
	}
}

func nothing(*testing.T, string) {}

func mode(m fs.FileMode, name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { must(t, os.Chmod(filepath.Join(dir, name), m)) }
}

// given gives a file to somebody else, which only root can do.
func given(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if os.Getuid() != 0 {
			t.Skip("only root can give files away; TestOwn has the rule")
		}
		must(t, os.Chown(filepath.Join(dir, name), int(stranger()), -1))
	}
}

func linkedDirectory(t *testing.T, dir string) {
	must(t, os.Rename(dir, "elsewhere"))
	must(t, os.Symlink("elsewhere", dir))
}

func linkedFile(t *testing.T, dir string) {
	must(t, os.Rename(filepath.Join(dir, ServedFile), "elsewhere"))
	must(t, os.Symlink("../elsewhere", filepath.Join(dir, ServedFile)))
}

func pipe(t *testing.T, dir string) {
	must(t, os.Remove(filepath.Join(dir, ServedFile)))
	must(t, syscall.Mkfifo(filepath.Join(dir, ServedFile), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A profile that others may have written says nothing about where a token goes.
func TestProfilesOfOthers(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string // "" is that it is read
	}{
		"mine":              {nothing, ""},
		"others may read":   {mode(0o644, "profiles.yaml"), "others may use "},
		"others may write":  {mode(0o622, "profiles.yaml"), "others may write "},
		"directory for all": {mode(0o777, ""), "others may write "},
		"a stranger's":      {given("profiles.yaml"), "belongs to user "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store, err := Profiles(dir)
			must(t, err)
			must(t, store.Put("default", Profile{Server: "http://127.0.0.1:1", Token: "x"}))
			tt.change(t, filepath.Join(dir, "orgd"))
			_, ok, err := store.Profile("default")
			if tt.want == "" && (err != nil || !ok) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Profile = %v, %v, want %q", ok, err, tt.want)
			}
		})
	}
}
