package faults

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orgd/adapters/archivefile"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/ports/portstest"
	"orgd/test/process"
)

// TestKilledRestoreGoesOn kills a restore of an archive at points that lie evenly over it, and
// runs the same command again: then everything is there, once.
func TestKilledRestoreGoesOn(t *testing.T) {
	t.Parallel() // it waits
	dir := t.TempDir()
	file := filepath.Join(dir, "archive")
	if err := archivefile.Create(file, func(w io.Writer) error {
		_, err := app.NewArchives(system.Clock{}, system.IDs{}, system.Random{}).Create(t.Context(),
			app.CreateArchive{From: portstest.MadeArchive{Agents: 300, Versions: 5, Events: 60}, To: w})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := recordsOf(t, file)
	begin := time.Now()
	if err := restore(t, filepath.Join(dir, "whole"), file); err != nil {
		t.Fatal(err)
	}
	takes := time.Since(begin)
	points, killed := size(4, 20), 0
	for i := range points {
		data := filepath.Join(dir, "data"+string(rune('a'+i)))
		if killRestore(t, data, file, takes*time.Duration(i+1)/time.Duration(points+1)) {
			killed++
			// A kill between the last commit and the end of the process leaves everything there.
			if err := restore(t, data, file); err != nil && !strings.Contains(err.Error(), "the storage is not empty") {
				t.Fatal(err)
			}
		}
		again := data + ".archive"
		if _, err := process.Run(t.Context(), binary, "archive", "create", "--data-dir", data, again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(recordsOf(t, again), want) {
			t.Errorf("after a restore that was killed at point %d of %d the data directory holds something else", i+1, points)
		}
	}
	t.Logf("%d of %d restores were killed before their end", killed, points)
}

func restore(t *testing.T, data, file string) error {
	_, err := process.Run(t.Context(), binary, "archive", "restore", "--data-dir", data, file)
	return err
}

// killRestore begins a restore and kills it after a time. It reports whether that was before
// the end.
func killRestore(t *testing.T, data, file string, after time.Duration) bool {
	t.Helper()
	c := exec.CommandContext(t.Context(), binary, "archive", "restore", "--data-dir", data, file)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(after, func() { _ = c.Process.Kill() }) // it may have ended
	err := c.Wait()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Exited()) {
		t.Fatalf("orgd archive restore = %v", err)
	}
	return err != nil
}

// recordsOf are the lines of an archive behind the first.
func recordsOf(t *testing.T, file string) (lines []byte) {
	t.Helper()
	if err := archivefile.Read(file, func(r io.Reader) error {
		all, err := io.ReadAll(r)
		_, lines, _ = bytes.Cut(all, []byte("\n"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return lines
}
