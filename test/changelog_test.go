package test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
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
