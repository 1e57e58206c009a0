package stored

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/zap"

	"orgd"
	"orgd/ports"
	"orgd/test/api"
	"orgd/test/seed"
)

// TestArchiveAnswersTheSame carries an organization from one data directory to another, and to
// MongoDB and back. All of them answer random requests alike.
func TestArchiveAnswersTheSame(t *testing.T) {
	keys := t.TempDir() // tokens and cursors are those of all services
	source, err := Open(t.Context(), SQLite(t.TempDir()), keys)
	must(t, err)
	defer source.Close()
	must(t, source.Make(t.Context()))
	live(t, source)
	targets := []orgd.Config{SQLite(t.TempDir())}
	if os.Getenv(MongoVariable) != "" {
		cfg := Mongo()
		t.Cleanup(func() { must(t, Drop(context.WithoutCancel(t.Context()), cfg)) })
		targets = append(targets, cfg, SQLite(t.TempDir()))
	}
	from := source.Config
	for _, to := range targets {
		carry(t, from, to)
		target, err := Open(t.Context(), to, keys)
		must(t, err)
		askBoth(t, source, target)
		target.Close()
		from = to
	}
}

// TestArchiveOfReleases carries what earlier releases have stored.
func TestArchiveOfReleases(t *testing.T) {
	releases, err := filepath.Glob("testdata/*/orgd.db.gz")
	must(t, err)
	for _, path := range releases {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			database, err := Unpack(path)
			must(t, err)
			from, to := SQLite(t.TempDir()), SQLite(t.TempDir())
			must(t, os.WriteFile(filepath.Join(from.SQLite.Dir, "orgd.db"), database, 0o600))
			_, err = orgd.Migrate(t.Context(), from, 0, zap.NewNop())
			must(t, err)
			carry(t, from, to)
			compare(t, to, filepath.Join(filepath.Dir(path), "sqlite.json.gz"))
		})
	}
}

// carry makes an archive of one storage and restores it into another. An archive of that is
// the same but for its first line.
func carry(t *testing.T, from, to orgd.Config) {
	t.Helper()
	archive := archiveOf(t, from)
	_, err := orgd.RestoreArchive(t.Context(), to, bytes.NewReader(archive), orgd.ArchiveOptions{}, zap.NewNop())
	must(t, err)
	_, want, _ := bytes.Cut(archive, []byte("\n"))
	if _, got, _ := bytes.Cut(archiveOf(t, to), []byte("\n")); !bytes.Equal(got, want) {
		t.Error("the archive of what was restored is another one")
	}
}

func archiveOf(t *testing.T, cfg orgd.Config) []byte {
	t.Helper()
	var archive bytes.Buffer
	_, err := orgd.CreateArchive(t.Context(), cfg, &archive, orgd.ArchiveOptions{})
	must(t, err)
	return archive.Bytes()
}

// live makes more of what an organization has that lives for a while.
func live(t *testing.T, s *Service) {
	c := checks{t, s}
	for i := range 30 {
		name := fmt.Sprintf("Made %02d", i)
		c.do(http.MethodPost, "/agents", fmt.Sprintf(`{"name":%q,"role":"worker","department":"Platform","tags":["t%d"]}`, name, i%3))
		path := "/agents/" + url.PathEscape(name)
		for n := range i % 4 {
			c.do(http.MethodPatch, path, fmt.Sprintf(`{"instructions":"Version %d."}`, n))
		}
		c.do(http.MethodPut, path+"/labels/production", `{"version":1}`)
		c.do(http.MethodPost, "/activities", fmt.Sprintf(`{"events":[{"event_type":"task_completed","agent":%q,"data":{"task_id":"t","success":true,"cost":0.1,"quality_score":%d}}]}`, name, i%10))
		if i%7 == 0 {
			_, err := s.Do(t.Context(), api.Request{Method: http.MethodDelete, Path: path})
			must(t, err)
		}
	}
}

// asked are the paths of random requests; what is in braces is chosen for each.
var asked = []string{
	"/company", "/company/departments", "/company/days", "/company/departments/figures", "/company/agents/figures?limit={n}",
	"/agents?limit={n}", "/agents?limit={n}&tag=t1", "/agents?q=worker&limit={n}", "/agents?deleted=true&limit={n}", "/agents/{agent}", "/agents/{agent}/activity?limit={n}",
	"/agents/{agent}/health", "/agents/{agent}/history?limit={n}", "/agents/{agent}/performance", "/agents/{agent}/days",
	"/agents/{agent}/versions?limit={n}", "/agents/{agent}/versions/{n}", "/agents/{agent}/versions/diff?from_version=1&to_version={n}",
	"/agents/{agent}/labels", "/agents/{agent}/labels/production", "/agents/{agent}/labels/production/history",
	"/labels/production/agents?limit={n}", "/activities?limit={n}", "/activities?agent={agent}", "/departments", "/departments/Platform",
	"/departments/Platform/health", "/departments/Platform/days", "/projects", "/webhooks", "/changes?limit={n}", "/audit?limit={n}", "/organization",
}

const askedRequests = 200

// volatile is what differs in answers to the same request at two times.
var volatile = regexp.MustCompile(`"(generated_at|instance)":"[^"]*"`)

// askBoth sends random requests to two services, and follows lists to their second page.
func askBoth(t *testing.T, a, b *Service) {
	t.Helper()
	random := seed.Rand(t)
	list, err := a.Data(t.Context(), "/activities?limit=200")
	must(t, err)
	agents := members(list, "agent_id")
	found := 0
	for range askedRequests {
		path := strings.ReplaceAll(asked[random.IntN(len(asked))], "{agent}", agents[random.IntN(len(agents))])
		path = strings.ReplaceAll(path, "{n}", fmt.Sprint(1+random.IntN(8)))
		ok, next := askOne(t, a, b, path)
		if ok {
			found++
		}
		if next != "" && random.IntN(2) == 0 {
			separator := "?"
			if strings.Contains(path, "?") {
				separator = "&"
			}
			askOne(t, a, b, path+separator+"cursor="+url.QueryEscape(next))
		}
	}
	if found < askedRequests/2 {
		t.Errorf("%d of %d requests found something, want most", found, askedRequests)
	}
}

// askOne wants the same answer of both. It returns whether that is a success, and the cursor
// of the next page.
func askOne(t *testing.T, a, b *Service, path string) (ok bool, next string) {
	t.Helper()
	var answers, incarnations []string
	for _, s := range []*Service{a, b} {
		got, err := s.Do(t.Context(), api.Request{Method: http.MethodGet, Path: path})
		must(t, err)
		var page struct {
			Pagination struct {
				Next string `json:"next_cursor"`
			}
		}
		if got.OK() {
			_ = json.Unmarshal(got.Body, &page) // an answer that is no list has no page
		}
		ok, next = got.OK(), page.Pagination.Next
		incarnation, tag, _ := strings.Cut(got.ETag(), ":")
		incarnations = append(incarnations, incarnation)
		answers = append(answers, fmt.Sprint(got.Status, " ", tag, " ", volatile.ReplaceAllString(string(got.Body), "")))
	}
	if answers[0] != answers[1] {
		t.Errorf("GET %s answers\n%.2000s\nand after the restore\n%.2000s", path, answers[0], answers[1])
	}
	if incarnations[0] != "" && incarnations[0] == incarnations[1] {
		t.Errorf("GET %s has a tag of before the restore", path)
	}
	return ok, next
}

// TestNoServiceOnAPartOfAnArchive cuts a restore short: no service starts on what there is, and
// no archive is made of it, until the restore has ended.
func TestNoServiceOnAPartOfAnArchive(t *testing.T) {
	keys := t.TempDir()
	source, err := Open(t.Context(), SQLite(t.TempDir()), keys)
	must(t, err)
	must(t, source.Make(t.Context()))
	source.Close()
	archive := archiveOf(t, source.Config)
	configs := []orgd.Config{SQLite(t.TempDir())}
	if os.Getenv(MongoVariable) != "" {
		cfg := Mongo()
		t.Cleanup(func() { must(t, Drop(context.WithoutCancel(t.Context()), cfg)) })
		configs = append(configs, cfg)
	}
	for _, cfg := range configs {
		_, err := orgd.RestoreArchive(t.Context(), cfg, bytes.NewReader(archive[:len(archive)/2]), orgd.ArchiveOptions{}, zap.NewNop())
		if err == nil {
			t.Fatal("a part of an archive was restored")
		}
		if s, err := Open(t.Context(), cfg, keys); err == nil {
			s.Close()
			t.Errorf("a service starts on a part of an archive in %s", cfg.Storage)
		} else if !errors.Is(err, ports.ErrRestoring) {
			t.Errorf("Open = %v, want ErrRestoring", err)
		}
		if _, err := orgd.CreateArchive(t.Context(), cfg, io.Discard, orgd.ArchiveOptions{}); !errors.Is(err, ports.ErrRestoring) {
			t.Errorf("CreateArchive = %v, want ErrRestoring", err)
		}
		_, err = orgd.RestoreArchive(t.Context(), cfg, bytes.NewReader(archive), orgd.ArchiveOptions{}, zap.NewNop())
		must(t, err)
		s, err := Open(t.Context(), cfg, keys)
		must(t, err)
		s.Close()
	}
}
