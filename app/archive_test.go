package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/archive"
	"orgd/domain/webhook"
	"orgd/ports"
	"orgd/ports/portstest"
)

var archives = app.NewArchives(system.Clock{}, system.IDs{}, system.Random{})

// small has every part that is made, with several batches of some.
var small = portstest.MadeArchive{Agents: 40, Versions: 5, Events: 120}

// madeArchive returns an archive.
func madeArchive(t *testing.T, passphrase string) []byte {
	t.Helper()
	var text bytes.Buffer
	if _, err := archives.Create(t.Context(), app.CreateArchive{From: small, To: &text, Version: "v1", Storage: "made", Passphrase: passphrase}); err != nil {
		t.Fatalf("Create = %v", err)
	}
	return text.Bytes()
}

// openEmbedded opens a storage that is empty, or not any more.
func openEmbedded(t *testing.T, dir string) (ports.Stores, func()) {
	t.Helper()
	cfg := sqlitestore.Default()
	cfg.Dir = dir
	db, closeDB, err := sqlitestore.Open(t.Context(), cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	return db.Stores(), closeDB
}

// lines are those of the records of a storage.
func lines(t *testing.T, from ports.ArchiveReader) string {
	t.Helper()
	var all strings.Builder
	if err := from.Read(t.Context(), func(r archive.Record) error {
		all.Write(archive.Append(nil, r))
		return nil
	}); err != nil {
		t.Fatalf("Read = %v", err)
	}
	return all.String()
}

func TestArchiveRestores(t *testing.T) {
	for _, passphrase := range []string{"", "open sesame"} {
		text := madeArchive(t, passphrase)
		if _, sums, err := archives.Check(t.Context(), bytes.NewReader(text)); err != nil || len(sums) != len(archive.Parts()) {
			t.Fatalf("Check = %v, %v", sums, err)
		}
		stores, closeDB := openEmbedded(t, t.TempDir())
		defer closeDB()
		got, err := archives.Restore(t.Context(), app.RestoreArchive{From: bytes.NewReader(text), To: stores.Archive, Passphrase: passphrase})
		if err != nil {
			t.Fatalf("Restore = %v", err)
		}
		hooks, err := stores.Webhooks.Webhooks(t.Context(), webhook.Query{Limit: 10})
		if err != nil || len(hooks) != 2 {
			t.Fatalf("Webhooks = %v, %v", hooks, err)
		}
		kept := hooks[0].Secrets.Current == webhook.Secret{1}
		if with := passphrase != ""; kept != with || hooks[0].Enabled() != with || (len(got.Disabled) == 0) != with {
			t.Errorf("with the passphrase %q: the secret was kept = %t, enabled = %t, disabled are %d", passphrase, kept, hooks[0].Enabled(), len(got.Disabled))
		}
		if passphrase != "" && lines(t, stores.Archive) != lines(t, small) {
			t.Error("the storage does not have what the archive was made of")
		}
		if bytes.Contains(text, []byte("whsec_")) {
			t.Error("the archive shows a secret")
		}
	}
}

func TestArchiveNeedsItsPassphrase(t *testing.T) {
	text := madeArchive(t, "open sesame")
	for _, passphrase := range []string{"", "open says me"} {
		stores, closeDB := openEmbedded(t, t.TempDir())
		defer closeDB()
		_, err := archives.Restore(t.Context(), app.RestoreArchive{From: bytes.NewReader(text), To: stores.Archive, Passphrase: passphrase})
		if !errors.Is(err, archive.ErrPassphrase) {
			t.Errorf("Restore with the passphrase %q = %v, want ErrPassphrase", passphrase, err)
		}
	}
}

// A change of any line is found, and one of most bytes.
func TestArchiveIsChecked(t *testing.T) {
	text := madeArchive(t, "")
	all := bytes.SplitAfter(text, []byte("\n"))
	all = all[:len(all)-1]
	damaged := map[string][]byte{
		"longer":       append(bytes.Clone(text), "{}\n"...),
		"no archive":   []byte("hello\n"),
		"empty":        nil,
		"newer format": bytes.Replace(text, []byte(`"orgd_archive":1`), []byte(`"orgd_archive":99`), 1),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n := random.IntN(len(all))
		damaged[fmt.Sprintf("without line %d", n)] = bytes.Join(append(append([][]byte{}, all[:n]...), all[n+1:]...), nil)
		damaged[fmt.Sprintf("line %d twice", n)] = bytes.Join(append(append([][]byte{}, all[:n+1]...), all[n:]...), nil)
		at := len(all[0]) + random.IntN(len(text)-len(all[0]))
		damaged[fmt.Sprintf("cut at %d", at)] = text[:at]
		flipped := bytes.Clone(text)
		flipped[at] ^= 1 << random.IntN(8)
		damaged[fmt.Sprintf("bit of %d", at)] = flipped
	}
	for what, text := range damaged {
		_, _, err := archives.Check(t.Context(), bytes.NewReader(text))
		if !errors.Is(err, archive.ErrDamaged) && !errors.Is(err, archive.ErrFormat) {
			t.Errorf("Check of an archive %s = %v", what, err)
		}
	}
}

// cutting is a storage that is lost after some batches.
type cutting struct {
	ports.Archive
	batches int
}

var errCut = errors.New("the storage is lost")

// Load implements [ports.Archive].
func (c *cutting) Load(ctx context.Context, records []archive.Record, loaded int64) error {
	if c.batches == 0 {
		return errCut
	}
	c.batches--
	return c.Archive.Load(ctx, records, loaded)
}

// A restore that is cut short goes on with the next one, which finds the storage closed and
// opened again.
func TestArchiveRestoreGoesOn(t *testing.T) {
	text := madeArchive(t, "open sesame")
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 4))
	cuts := 0
	for end := false; !end; {
		stores, closeDB := openEmbedded(t, dir)
		to := &cutting{stores.Archive, 1 + random.IntN(2)}
		_, err := archives.Restore(t.Context(), app.RestoreArchive{From: bytes.NewReader(text), To: to, Passphrase: "open sesame"})
		switch {
		case err == nil:
			end = true
			if lines(t, stores.Archive) != lines(t, small) {
				t.Error("the storage does not have what the archive was made of")
			}
		case !errors.Is(err, errCut):
			t.Fatalf("Restore after %d cuts = %v", cuts, err)
		}
		cuts++
		closeDB()
	}
	if cuts < 5 {
		t.Errorf("the restore was cut %d times, want several", cuts)
	}
}

// full is a disk without room for more.
type full struct{ room int }

var errFull = errors.New("no space left")

// Write implements io.Writer.
func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestArchiveCreateReturnsTheErrorOfTheFile(t *testing.T) {
	large := portstest.MadeArchive{Agents: 40, Versions: 20, Events: 500}
	for _, room := range []int{0, 300_000, 3_000_000} {
		_, err := archives.Create(t.Context(), app.CreateArchive{From: large, To: &full{room}})
		if !errors.Is(err, errFull) {
			t.Errorf("Create with room for %d bytes = %v, want errFull", room, err)
		}
	}
}
