package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Keys that are in use stay, and what was made is good for serving.
func TestKeysCreate(t *testing.T) {
	dir := t.TempDir()
	signing, cursor := filepath.Join(dir, "signing.key"), filepath.Join(dir, "cursor.key")
	args := []string{"keys", "create", "--signing-key-file", signing, "--cursor-key-file", cursor}
	if r := command(t, nil, args...); r.code != exitOK || strings.Count(r.stderr, "was made") != 2 {
		t.Fatalf("orgd keys create = %+v, want two keys", r)
	}
	before, err := os.ReadFile(signing)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(cursor); err != nil {
		t.Fatal(err)
	}
	if r := command(t, nil, args...); r.code != exitOK || r.stderr != cursor+" was made.\n" {
		t.Errorf("orgd keys create = %+v, want the missing key only", r)
	}
	if after, err := os.ReadFile(signing); err != nil || string(after) != string(before) {
		t.Errorf("the signing key was replaced, or %v", err)
	}
	serve(t, false, "--data-dir", filepath.Join(dir, "data"), "--signing-key-file", signing, "--cursor-key-file", cursor)

	for _, args := range [][]string{{}, {"--signing-key-file", filepath.Join(dir, "none", "k")}} {
		want := exitFailure
		if len(args) == 0 {
			want = exitUsage
		}
		if r := command(t, nil, append([]string{"keys", "create"}, args...)...); r.code != want || !strings.HasPrefix(r.stderr, "orgd: ") {
			t.Errorf("orgd keys create %v = %+v, want %d and why", args, r, want)
		}
	}
}
