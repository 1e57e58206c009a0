package test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// kinds are the headings that a release in the change log may have, in their order.
var kinds = []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Upgrading"}

var (
	releaseHeading = regexp.MustCompile(`^## \[(\d+\.\d+\.\d+)\](?: - \d{4}-\d\d-\d\d)?$`)
	chartVersion   = regexp.MustCompile(`(?m)^(?:appVersion|version): (.*)$`)
)

// The change log has the form of Keep a Changelog, and its newest release is that of the chart.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, history, found := strings.Cut(string(text), "\n## [Unreleased]\n")
	if !found {
		t.Fatal("there is no section of what is not released")
	}
	var releases []string
	kind := -1
	for line := range strings.Lines(history) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "## "):
			m := releaseHeading.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%q is not the heading of a release", line)
			}
			releases, kind = append(releases, m[1]), -1
		case strings.HasPrefix(line, "### "):
			next := slices.Index(kinds, line[len("### "):])
			if next <= kind {
				t.Errorf("%q is none of %v, or stands behind its place", line, kinds)
			}
			kind = next
		case strings.HasPrefix(line, "- ") && kind < 0:
			t.Errorf("%q stands below no kind of change", line)
		}
	}
	newestFirst(t, releases)
	chart, err := os.ReadFile("../deployments/helm/orgd/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range chartVersion.FindAllStringSubmatch(string(chart), -1) {
		if version[1] != releases[0] {
			t.Errorf("the chart has %q, want %s", version[0], releases[0])
		}
	}
}

// newestFirst wants each version to be older than the one before it.
func newestFirst(t *testing.T, versions []string) {
	t.Helper()
	if len(versions) == 0 {
		t.Fatal("there is no release")
	}
	var numbers [][]int
	for _, version := range versions {
		n := make([]int, 3)
		if _, err := fmt.Sscanf(version, "%d.%d.%d", &n[0], &n[1], &n[2]); err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		numbers = append(numbers, n)
	}
	if !slices.IsSortedFunc(numbers, func(a, b []int) int { return slices.Compare(b, a) }) {
		t.Errorf("the releases are in the order %v, want the newest first", versions)
	}
}

// The change log has the schemas of both stores: its newest numbers are those that the stores write.
func TestChangelogHasTheSchemas(t *testing.T) {
	migrations := filesBelow(t, "../adapters/sqlitestore/internal/engine/migrations", ".sql")
	number, _, _ := strings.Cut(filepath.Base(slices.Max(migrations)), "_")
	embedded, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	shared := find(t, `(?m)^\tschemaVersion = (\d+)$`, "../adapters/mongostore/schema.go")
	newest := find(t, `(?m)^- The schema of the embedded store has version (\d+)`, "../CHANGELOG.md")
	newestShared := find(t, `(?m)^- The schema of the embedded store has version \d+, that of MongoDB (?:still )?version (\d+)\.`, "../CHANGELOG.md")
	if len(shared) != 1 || len(newest) == 0 || len(newestShared) == 0 {
		t.Fatalf("the schema of MongoDB = %q, in the change log are %q and %q", shared, newest, newestShared)
	}
	if newest[0] != strconv.Itoa(embedded) || newestShared[0] != shared[0] {
		t.Errorf("the newest schemas in CHANGELOG.md = %s and %s, want %d and %s", newest[0], newestShared[0], embedded, shared[0])
	}
}
