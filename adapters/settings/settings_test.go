package settings_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"orgd/adapters/settings"
)

func TestRename(t *testing.T) {
	var m settings.Mistakes
	m.Unless(true, "a", "is fine")
	if m.Err() != nil {
		t.Errorf("Err without mistakes = %v, want nil", m.Err())
	}
	m.Unless(false, "a b", "exclude each other")
	all := errors.Join(m.Err(), fmt.Errorf("another"), errors.Join(settings.Mistakef("c", "cannot be read: %w", io.EOF)))
	want := "--a, --b: exclude each other\nanother\n--c: cannot be read: EOF"
	if all.Error() != want {
		t.Errorf("Error = %q, want %q", all, want)
	}
	got := settings.Origins{"b": "ORGD_B", "c": "FILE: c"}.Rename(all)
	if want = "--a, ORGD_B: exclude each other\nanother\nFILE: c: cannot be read: EOF"; got.Error() != want {
		t.Errorf("Rename = %q, want %q", got, want)
	}
	if !errors.Is(got, io.EOF) {
		t.Error("Rename loses the reason")
	}
	if got := (settings.Origins{}).Rename(nil); got != nil {
		t.Errorf("Rename(nil) = %v, want nil", got)
	}
}

// Only what errors.Join has put together is taken apart: other errors that wrap several
// have a text of their own.
func TestEachKeepsTexts(t *testing.T) {
	err := errors.Join(
		fmt.Errorf("open: %w (%w)", io.EOF, errors.ErrUnsupported),
		settings.Mistakef("a", "is wrong: %w", errors.Join(io.EOF, io.ErrNoProgress)),
	)
	if got := (settings.Origins{"a": "ORGD_A"}).Rename(err); got.Error() != "open: EOF (unsupported operation)\nORGD_A: is wrong: EOF\n"+io.ErrNoProgress.Error() {
		t.Errorf("Rename = %q", got)
	}
	var seen int
	_ = settings.Each(err, func(err error) error { seen++; return err })
	if seen != 2 {
		t.Errorf("Each calls change %d times, want 2", seen)
	}
}
