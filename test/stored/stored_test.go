package stored

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"orgd"
	"orgd/test/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestReleases opens what each release has stored, on both storages. What it answered
// then is answered now, and agents are as whole as those that are hired now.
func TestReleases(t *testing.T) {
	releases, err := filepath.Glob("testdata/*/orgd.db.gz")
	if err != nil || len(releases) == 0 {
		t.Fatalf("there are no releases: %v", err)
	}
	for _, path := range releases {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir)+"/sqlite", func(t *testing.T) {
			database, err := Unpack(path)
			must(t, err)
			cfg := SQLite(t.TempDir())
			must(t, os.WriteFile(filepath.Join(cfg.SQLite.Dir, "orgd.db"), database, 0o600))
			compare(t, cfg, filepath.Join(dir, "sqlite.json.gz"))
		})
		t.Run(filepath.Base(dir)+"/mongodb", func(t *testing.T) {
			if os.Getenv(MongoVariable) == "" {
				t.Skipf("%s is not set", MongoVariable)
			}
			dump, err := Unpack(filepath.Join(dir, "mongodb.jsonl.gz"))
			must(t, err)
			cfg := Mongo()
			t.Cleanup(func() { must(t, Drop(context.WithoutCancel(t.Context()), cfg)) })
			must(t, Load(t.Context(), cfg, dump))
			compare(t, cfg, filepath.Join(dir, "mongodb.json.gz"))
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checks are those of one storage.
type checks struct {
	*testing.T
	*Service
}

func compare(t *testing.T, cfg orgd.Config, answers string) {
	s, err := Open(t.Context(), cfg, t.TempDir())
	must(t, err)
	defer s.Close()
	text, err := Unpack(answers)
	must(t, err)
	then, err := Decode(text)
	must(t, err)
	c := checks{t, s}
	for path, want := range then.(map[string]any) {
		for _, problem := range differences(want, c.get(path), "") {
			t.Errorf("GET %s: %s", path, problem)
		}
	}
	c.hashes()
	c.whole()
	c.changes()
}

func (c checks) get(path string) any {
	c.Helper()
	v, err := c.Data(c.Context(), path)
	must(c.T, err)
	return v
}

// do sends a change and returns the data of the answer.
func (c checks) do(method, path, body string) map[string]any {
	c.Helper()
	a, err := c.Do(c.Context(), api.Request{Method: method, Path: path, Body: json.RawMessage(body)})
	must(c.T, err)
	if !a.OK() {
		c.Fatalf("%s %s: %v", method, path, a.Err())
	}
	var v map[string]any
	must(c.T, a.Data(&v))
	return v
}

// differences says where is is not as it was. Members that a later release has added
// do not count.
func differences(was, is any, at string) (problems []string) {
	switch was := was.(type) {
	case map[string]any:
		object, _ := is.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(was)) {
			member, ok := object[name]
			if !ok {
				return append(problems, fmt.Sprintf("%s.%s is missing", at, name))
			}
			problems = append(problems, differences(was[name], member, at+"."+name)...)
		}
	case []any:
		list, _ := is.([]any)
		if len(list) != len(was) {
			return append(problems, fmt.Sprintf("%s has %d items, not %d", at, len(list), len(was)))
		}
		for i := range was {
			problems = append(problems, differences(was[i], list[i], at+"["+strconv.Itoa(i)+"]")...)
		}
	default:
		if was != is {
			problems = append(problems, fmt.Sprintf("%s is %v, not %v", at, is, was))
		}
	}
	return problems
}

// hashes compares the hash of each version with the text that is shown.
func (c checks) hashes() {
	c.Helper()
	for _, id := range members(c.get("/activities?limit=200"), "agent_id") {
		var versions []struct {
			Hash     string          `json:"content_hash"`
			Snapshot json.RawMessage `json:"snapshot"`
		}
		_, err := c.Get(c.Context(), "/agents/"+id+"/versions?limit=100", &versions)
		must(c.T, err)
		for i, v := range versions {
			if sum := sha256.Sum256(v.Snapshot); v.Hash != hex.EncodeToString(sum[:]) {
				c.Errorf("the hash of version %d of %s is not that of its snapshot", len(versions)-i, id)
			}
		}
	}
}

// whole compares the fields of an agent with those of one that is hired now.
func (c checks) whole() {
	c.Helper()
	fresh := c.do(http.MethodPost, "/agents", string(Whole("Eve")))
	want := fieldsOf(fresh, "")
	found := map[string][]string{"GET": fieldsOf(c.get("/agents/Ada"), "")}
	for _, agent := range c.get("/agents?limit=100").([]any) {
		if agent.(map[string]any)["name"] == "Ada" {
			found["the list"] = fieldsOf(agent, "")
		}
	}
	for how, fields := range found {
		if !slices.Equal(fields, want) {
			c.Errorf("%s shows the fields %v, want %v", how, fields, want)
		}
	}
}

// fieldsOf returns the sorted paths of all members.
func fieldsOf(v any, at string) (paths []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			paths = append(append(paths, at+"."+name), fieldsOf(member, at+"."+name)...)
		}
	case []any:
		for _, item := range v {
			paths = append(paths, fieldsOf(item, at)...)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// changes changes an agent. What changes nothing makes no version, and what changes a
// field makes one that differs by nothing else.
func (c checks) changes() {
	c.Helper()
	before := c.get("/agents/Ada").(map[string]any)
	role := before["role"].(string)
	same := c.do(http.MethodPatch, "/agents/Ada", fmt.Sprintf(`{"role": %q}`, role))
	if fmt.Sprint(same["revision"]) != fmt.Sprint(before["revision"]) {
		c.Errorf("a change without effect makes revision %v of %v", same["revision"], before["revision"])
	}
	next := c.do(http.MethodPatch, "/agents/Ada", `{"role": "Chief"}`)
	c.hashes()
	diff := c.get(fmt.Sprintf("/agents/Ada/versions/diff?from_version=1&to_version=%v", next["version"])).(map[string]any)
	changes, _ := diff["field_changes"].([]any)
	if len(changes) != 1 || changes[0].(map[string]any)["field_path"] != "role" {
		c.Errorf("the difference to version 1 is %v, want the role", diff)
	}
}
