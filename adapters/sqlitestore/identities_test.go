package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/archive"
	"orgd/domain/identity"
	"orgd/ports"
)

// prompt returns instructions that differ from those of another number in a sentence.
func prompt(size, number int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i == 1 {
			fmt.Fprintf(&b, "This is sentence %d of them. ", number)
		}
		fmt.Fprintf(&b, "Rule %d asks for %x. ", i, i*i*i*7919)
	}
	return b.String()[:size]
}

// rewrite gives an agent n more versions, each with another sentence in its instructions, and
// returns all texts that it had then.
func (o *org) rewrite(id agent.ID, n, size int) (texts []string) {
	o.Helper()
	a, err := o.agents.Agent(context.Background(), byID(id))
	o.check(err)
	texts = append(texts, a.Text)
	for len(texts) <= n {
		o.check(o.db.Write(context.Background(), func(tx *engine.Tx) error {
			for range min(1000, n+1-len(texts)) {
				change := o.changing(`{"instructions":%q}`, prompt(size, len(texts)+int(a.Version)))
				before, w, err := o.db.again(tx, byID(id), change)
				if err != nil {
					return err
				}
				if err := w.update(tx, before); err != nil {
					return err
				}
				texts = append(texts, w.Agent.Text)
			}
			return nil
		}))
	}
	return texts
}

// compareVersions reads versions one by one and in pages.
func (o *org) compareVersions(id agent.ID, texts []string) {
	o.Helper()
	versions := &Identities{o.db}
	for i, want := range texts {
		got, err := versions.Version(context.Background(), id, int64(i+1))
		if err != nil || got.Text != want || got.Number != int64(i+1) || string(got.Content.Canonical()) != want {
			o.Fatalf("Version %d of %d: %v, the text is equal: %v", i+1, len(texts), err, got.Text == want)
		}
	}
	for _, limit := range []int{1, 3, 16, 17, 100} {
		before := int64(0)
		for left := len(texts); left > 0; {
			got, err := versions.Versions(context.Background(), id, before, limit)
			if err != nil || len(got) == 0 || len(got) > limit { // it may end early: versions are large
				o.Fatalf("Versions before %d = %d, %v, want 1 to %d", before, len(got), err, limit)
			}
			for _, v := range got {
				if left--; v.Number != int64(left+1) || v.Text != texts[left] {
					o.Fatalf("a page of %d has version %d, want %d, the text is equal: %v", limit, v.Number, left+1, v.Text == texts[left])
				}
			}
			before = got[len(got)-1].Number
		}
	}
}

func TestVersionsAreDifferences(t *testing.T) {
	dir := t.TempDir()
	o := openOrg(t, dir)
	o.createDepartment("Sales")
	id, other := o.hire("Ann", "Sales", 2000).ID(), o.hire("Bob", "Sales", 2000).ID()
	texts := o.rewrite(id, 52, 2000)
	others := o.rewrite(other, 16, 2000)
	o.compareVersions(id, texts)
	o.db.Records, o.db.Contents = memory.NewRecords(memory.MaxRecords), nil
	rec, err := o.agents.Record(t.Context(), byName(t, "ann"))
	if o.check(err); rec.Identity != texts[len(texts)-1] || rec.Version != 53 {
		t.Errorf("the agent is at version %d, its text is the last: %v", rec.Version, rec.Identity == texts[len(texts)-1])
	}
	o = openOrg(t, restored(t, dir))
	o.compareVersions(id, texts)
	o.compareVersions(other, others)
	var whole, packed, bytes int
	err = o.db.Ask(t.Context(), func(v *sqlite.View) error {
		return v.Row("SELECT count(*) FILTER (WHERE packed IS NULL), count(packed), sum(length(packed)) FROM versions").Scan(&whole, &packed, &bytes)
	})
	if o.check(err); whole != 2 || packed != 68 || bytes > 64*200+4*2500 {
		t.Errorf("%d versions are as they were, %d packed in %d bytes; want 2 and 68", whole, packed, bytes)
	}
}

// restored returns a directory that is restored from a backup of another.
func restored(t *testing.T, dir string) string {
	t.Helper()
	file, to := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "data")
	if err := engine.Backup(t.Context(), dir, file); err != nil {
		t.Fatal(err)
	}
	if err := engine.Restore(t.Context(), engine.Restoration{Backup: file, Dir: to}, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	return to
}

// Ten versions of a prompt of 2 kB that change by a sentence.
func TestVersionsAreSmall(t *testing.T) {
	const agents, most = 200, 12_000
	dir := t.TempDir()
	o := openOrg(t, dir)
	o.createDepartment("Sales")
	ids := o.hireMany(0, agents, "Sales", 2000)
	for _, id := range ids {
		o.rewrite(id, 9, 2000)
	}
	o.db.Close() // empties the log
	file, err := os.Stat(filepath.Join(dir, "orgd.db"))
	o.check(err)
	t.Logf("an agent takes %d bytes", file.Size()/agents)
	if file.Size() > agents*most {
		t.Errorf("an agent takes %d bytes, want at most %d", file.Size()/agents, most)
	}
}

// The first of very many versions is read, and brought back.
func TestFirstOfManyVersions(t *testing.T) {
	const versions = 10_000
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	id := o.hire("Ann", "Sales", 0).ID()
	texts := o.rewrite(id, versions-1, 500)
	log := &Identities{o.db}
	first, err := log.Version(t.Context(), id, 1)
	if o.check(err); first.Text != texts[0] {
		t.Error("version 1 has another text than at first")
	}
	last, err := log.Version(t.Context(), id, versions)
	o.check(err)
	if diff, err := identity.Compare(first, last); err != nil || len(diff.Changes) != 1 {
		t.Errorf("the first and the last version differ in %v, %v, want the instructions", diff.Changes, err)
	}
	on := o.cause()
	_, err = o.agents.Update(t.Context(), byID(id), func(a agent.Agent) (ports.AgentChange, error) {
		s, err := a.Rollback(first, on)
		return ports.AgentChange{Step: s, Trail: o.trail("agents/ann", nil)}, err
	})
	o.check(err)
	back, err := log.Version(t.Context(), id, versions+1)
	if o.check(err); back.Text != texts[0] || back.RestoredFrom == nil || *back.RestoredFrom != 1 {
		t.Errorf("version %d has the text of the first: %v", versions+1, back.Text == texts[0])
	}
}

// Prompts that share nothing with the version before, of up to 128 KiB.
func TestVersionsThatShareNothing(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	a := o.hire("Ann", "Sales", 0)
	random := rand.New(rand.NewPCG(54, 5))
	texts := []string{a.Text}
	for i := range 20 {
		size := []int{128 << 10, 70_000, 10, 128 << 10, 64 << 10}[i%5]
		var b strings.Builder
		for b.Len() < size {
			fmt.Fprintf(&b, "%x ", random.Uint64())
		}
		a, err := o.agents.Update(t.Context(), byID(a.ID()), o.changing(`{"instructions":%q}`, b.String()[:size]))
		o.check(err)
		texts = append(texts, a.Text)
	}
	o.compareVersions(a.ID(), texts)
}

// What hangs on a damaged version is an error that names it. All others are read.
func TestDamagedVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, statement string
		damaged         int64
		lost            [2]int64 // the first and the last version that hang on it
	}{
		{"a bit of a difference", "UPDATE versions SET packed = unhex(substr(hex(packed), 1, length(hex(packed)) - 2) || '00') WHERE number = 21", 20, [2]int64{17, 20}},
		{"the form of a difference", "UPDATE versions SET packed = unhex('07' || substr(hex(packed), 3)) WHERE number = 31", 30, [2]int64{17, 30}},
		{"a whole one", "UPDATE versions SET packed = unhex(replace(hex(packed), '5275', '5274')) WHERE number = 33", 32, [2]int64{17, 32}},
		{"a length", "UPDATE versions SET packed = unhex('01ffffff7f' || substr(hex(packed), 3)) WHERE number = 48", 47, [2]int64{33, 47}},
		{"a lost one", "DELETE FROM versions WHERE number = 20", 20, [2]int64{17, 20}},
		{"the newest", "UPDATE current_identities SET identity = replace(identity, 'Rule', 'Ruin')", 51, [2]int64{49, 51}},
		{"the newest is lost", "DELETE FROM current_identities", 51, [2]int64{49, 51}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			o := openOrg(t, dir)
			o.createDepartment("Sales")
			id := o.hire("Ann", "Sales", 300).ID()
			texts := o.rewrite(id, 50, 300)
			if found := damages(t, dir); len(found) > 0 {
				t.Errorf("Check names %q, want nothing", found)
			}
			o.check(o.db.Write(t.Context(), func(tx *engine.Tx) error {
				_, err := tx.Exec(c.statement)
				return err
			}))
			found := damages(t, dir)
			if !slices.ContainsFunc(found, func(d string) bool {
				return strings.Contains(d, string(id)) && strings.Contains(d, fmt.Sprintf("version %d is damaged", c.damaged))
			}) {
				t.Errorf("Check names %q, want version %d", found, c.damaged)
			}
			log := &Identities{o.db}
			for i, want := range texts {
				number := int64(i + 1)
				got, err := log.Version(t.Context(), id, number)
				hangs := number >= c.lost[0] && number <= c.lost[1]
				switch {
				case err == nil && got.Text != want, err == nil && number == c.damaged, err != nil && !hangs:
					t.Errorf("Version %d = %v, the text is equal: %v", number, err, got.Text == want)
				case err != nil && !errors.Is(err, identity.ErrVersionNotFound) &&
					(!errors.Is(err, identity.ErrVersionDamaged) || !strings.Contains(err.Error(), fmt.Sprintf("version %d is damaged", c.damaged))):
					t.Errorf("Version %d = %v, want that version %d is damaged", number, err, c.damaged)
				}
			}
		})
	}
}

// damages are those that [Check] names.
func damages(t *testing.T, dir string) (found []string) {
	t.Helper()
	if _, err := Check(t.Context(), dir, func(d string) error {
		found = append(found, d)
		return nil
	}); err != nil {
		t.Errorf("Check = %v, want what it has found", err)
	}
	return found
}

// TestArchivedVersions restores an archive in pieces of every size.
func TestArchivedVersions(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	ann, bob := o.hire("Ann", "Sales", 300).ID(), o.hire("Bob", "Sales", 0).ID()
	texts := o.rewrite(ann, 40, 300)
	gone := o.hire("Eve", "Sales", 300).ID()
	eves := o.rewrite(gone, 3, 300)
	o.check(o.fire(gone))
	var records []archive.Record
	o.check((&Archive{o.db}).Read(t.Context(), func(r archive.Record) error {
		records = append(records, r)
		return nil
	}))
	for _, size := range []int{1, 2, 7, len(records)} {
		to := openOrg(t, t.TempDir())
		a := &Archive{to.db}
		_, err := a.Begin(t.Context(), "one")
		o.check(err)
		for at := 0; at < len(records); at += size {
			o.check(a.Load(t.Context(), records[at:min(at+size, len(records))], int64(at)))
		}
		o.check(a.End(t.Context()))
		to.compareVersions(ann, texts)
		to.compareVersions(gone, eves)
		for id, want := range map[agent.ID]string{ann: texts[40], bob: ""} {
			was, err := o.agents.Record(t.Context(), byID(id))
			o.check(err)
			got, err := to.agents.Record(t.Context(), byID(id))
			if o.check(err); !cmp.Equal(got, was) || want != "" && got.Identity != want {
				t.Errorf("in pieces of %d: %s", size, cmp.Diff(was, got))
			}
		}
		to.rewrite(ann, 1, 300)
	}
}

// What is left of agents takes no room.
func TestIdentitiesGoWithTheirAgents(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	id := o.hire("Ann", "Sales", 300).ID()
	count := func() (n int) {
		o.check(o.db.Ask(t.Context(), func(v *sqlite.View) error { return v.Row("SELECT count(*) FROM current_identities").Scan(&n) }))
		return n
	}
	o.rewrite(id, 2, 300)
	o.check(o.fire(id))
	if n := count(); n != 1 {
		t.Errorf("%d whole texts of a deleted agent, want 1", n)
	}
	on := o.cause()
	change := func(f agent.Former) (ports.AgentChange, error) {
		s, err := f.Restore(agent.Restoring{}, on)
		return ports.AgentChange{Step: s, Trail: o.trail("agents/ann", nil)}, err
	}
	_, err := o.agents.Restore(t.Context(), id, change)
	if n := count(); err != nil || n != 1 {
		t.Errorf("Restore = %v, %d whole texts of the agent, want 1", err, n)
	}
	texts := o.rewrite(id, 2, 300)
	if v, err := (&Identities{o.db}).Version(t.Context(), id, 6); err != nil || v.Text != texts[2] {
		t.Errorf("Version 6 = %v, the text is equal: %v", err, v.Text == texts[2])
	}
	o.check(o.fire(id))
	o.check(o.agents.Purge(t.Context(), id, func(f agent.Former) (ports.AgentChange, error) {
		return ports.AgentChange{Step: f.Purge(on), Trail: o.trail("agents/ann", nil)}, nil
	}))
	if n := count(); n != 0 {
		t.Errorf("%d whole texts after the only agent was purged, want none", n)
	}
}

func (o *org) fire(id agent.ID) error {
	on := o.cause()
	_, err := o.agents.Update(context.Background(), byID(id), func(a agent.Agent) (ports.AgentChange, error) {
		return ports.AgentChange{Step: a.Fire(on), Trail: o.trail("agents/gone", nil)}, nil
	})
	return err
}
