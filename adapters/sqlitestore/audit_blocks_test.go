package sqlitestore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	driversqlite "modernc.org/sqlite"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/archive"
	"orgd/domain/audit"
	"orgd/domain/name"
	"orgd/ports"
	"orgd/test/seed"
)

// trailOf makes audit entries by chance.
type trailOf struct {
	*rand.Rand
	made  int
	at    time.Time // of the clock, which goes back at times
	still bool      // the clock stands still
}

func newTrail(t testing.TB) *trailOf { return trailAt(seed.Rand(t)) }

func trailAt(random *rand.Rand) *trailOf {
	return &trailOf{Rand: random, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

// few returns a small number often and a large one rarely.
func (r *trailOf) few(n int) int { return r.IntN(1 + r.IntN(n)) }

func (r *trailOf) department() name.Name {
	d, _ := name.Parse(fmt.Sprintf("Department %d", r.few(8)))
	return d
}

func (r *trailOf) action() audit.Action { return audit.Actions()[r.few(len(audit.Actions()))] }

func (r *trailOf) actor() string { return fmt.Sprintf("user-%d", r.few(40)) }

func (r *trailOf) resource() audit.Resource {
	switch r.IntN(8) {
	case 0:
		return audit.Activities
	case 1:
		return audit.Company
	case 2:
		return audit.Session(fmt.Sprint(r.few(50)))
	}
	return audit.Agent(fmt.Sprint(r.few(2000)))
}

// ago returns a time that is not long ago, or now.
func (r *trailOf) ago(most time.Duration) time.Time {
	if r.still {
		return r.at
	}
	return r.at.Add(-time.Duration(r.few(int(most.Milliseconds()))) * time.Millisecond)
}

// entry returns the next entry. The clock stands still, goes on, or goes back.
func (r *trailOf) entry() audit.Entry {
	r.made++
	switch n := r.IntN(500); {
	case r.still:
	case n == 0:
		r.at = r.at.Add(-time.Duration(r.IntN(3600)) * time.Second)
	case n == 1:
		r.at = r.at.Add(time.Duration(r.IntN(3600)) * time.Second)
	default:
		r.at = r.at.Add(time.Duration(r.IntN(3)) * time.Millisecond)
	}
	e := audit.Entry{
		ID: fmt.Sprintf("%08x-a5c4-7000-8000-%012x", r.Uint32(), r.made), At: r.ago(50 * time.Millisecond), Actor: r.actor(), Action: audit.SessionIssued,
		Resource: r.resource(), Route: "PATCH /x", From: 1, To: 2, RequestID: "r",
	}
	if kind := e.Resource.Type(); kind == "agent" || kind == "company" {
		c := audit.New(r.action(), "A").In(r.department())
		e.Action, e.Change = c.Action, &c
	}
	return e
}

func (r *trailOf) entries(n int) (entries []audit.Entry) {
	for range n {
		entries = append(entries, r.entry())
	}
	return entries
}

// query returns what a filter may be, often of somebody or something that exists.
func (r *trailOf) query() (q audit.Query) {
	q.Part, q.Limit = audit.Part(r.IntN(3)), 1+r.few(300)
	if r.IntN(2) == 0 {
		q.Actor = r.actor()
	}
	if r.IntN(2) == 0 {
		q.Resource = r.resource()
	}
	if q.Part == audit.OnlyChanges && r.IntN(2) == 0 {
		q.Department = r.department().Key
	}
	for q.Part == audit.OnlyChanges && r.IntN(2) == 0 {
		q.Actions = append(q.Actions, r.action())
	}
	if r.IntN(3) == 0 {
		q.Since = r.ago(2 * time.Hour)
	}
	if r.IntN(3) == 0 {
		q.Until = r.ago(time.Hour).Add(time.Millisecond)
	}
	return q
}

// putEntries stores entries.
func putEntries(entries []audit.Entry) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		for _, e := range entries {
			if err := putTrail(tx, ports.Trail{Audit: e}, true); err != nil {
				return err
			}
			tx.GoOn(tx.LastNumber() + activity.Seq(e.At.UnixMicro()/1000%300)) // numbers of events
		}
		return nil
	}
}

// sameAsScan compares the pages that filters find, from any position on, with what is selected of
// the whole trail.
func (o *org) sameAsScan(r *trailOf, queries int) {
	o.Helper()
	const pages = 3
	trail := o.db.Stores().Audit
	whole, err := trail.Entries(context.Background(), audit.Query{Limit: 1 << 30})
	o.check(err)
	for range queries {
		q, rest := r.query(), whole
		if n := len(whole); n > 0 && r.IntN(2) == 0 {
			at := r.IntN(n)
			after := whole[at].Position()
			q.After, rest = &after, whole[at+1:]
		}
		want := slices.DeleteFunc(slices.Clone(rest), func(e audit.Entry) bool { return !q.Selects(e) })
		want = want[:min(len(want), pages*q.Limit)]
		var got []audit.Entry
		for range pages {
			page, err := trail.Entries(context.Background(), q)
			o.check(err)
			if got = append(got, page...); len(page) < q.Limit {
				break
			}
			last := page[len(page)-1].Position()
			q.After = &last
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			o.Fatalf("Entries(%+v) of %d are %d, want %d (-want +got):\n%.2000s", q, len(whole), len(got), len(want), diff)
		}
	}
}

// blocks returns how many blocks there are, and how many entries are behind them.
func (o *org) blocks() (n, unblocked int) {
	o.Helper()
	o.check(o.db.Ask(context.Background(), func(v *sqlite.View) error {
		return v.Row(`SELECT n, (SELECT count(*) FROM changes WHERE seq > last) + (SELECT count(*) FROM audit WHERE seq > last)
FROM (SELECT count(*) AS n, coalesce(max(last), -9223372036854775808) AS last FROM audit_blocks)`).Scan(&n, &unblocked)
	}))
	return n, unblocked
}

// Filters find what a scan finds, whatever was written, expired and begun anew before.
func TestFiltersFindWhatAScanFinds(t *testing.T) {
	r, dir := newTrail(t), t.TempDir()
	ctx := context.Background()
	for range 3 {
		db, closeDB, err := Open(ctx, Config{Dir: dir, Readers: 2}, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		o := &org{TB: t, db: db}
		for range 16 {
			o.check(db.Write(ctx, putEntries(r.entries(1+r.few(400)))))
			if r.IntN(8) == 0 {
				_, err := db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{Audit: r.at.Add(-time.Hour)})
				o.check(err)
			}
			if r.IntN(4) == 0 {
				o.sameAsScan(r, 10)
			}
		}
		o.sameAsScan(r, 60)
		if n, unblocked := o.blocks(); n == 0 || unblocked >= blockEntries {
			t.Errorf("there are %d blocks and %d entries behind them, want fewer than %d", n, unblocked, blockEntries)
		}
		closeDB()
	}
}

// Entries of one time are in the order of their ids, whatever block they are in.
func TestFiltersOfOneTime(t *testing.T) {
	o, r := openOrg(t, t.TempDir()), newTrail(t)
	r.still = true
	o.check(o.db.Write(context.Background(), putEntries(r.entries(3*blockEntries))))
	o.sameAsScan(r, 100)
}

// childTrail writes entries until it is killed. A role is a seed, and how many blocks it finds or
// makes until it dies by itself, BEFORE the last is in the transaction, or AFTER that; or nothing. It prints the ids of entries that were acknowledged.
func childTrail(role, dir string) error {
	var number uint64
	var blocks int
	var when string
	if n, err := fmt.Sscan(role, &number, &blocks, &when); n < 2 {
		return err
	}
	driversqlite.MustRegisterScalarFunction("die", 0, func(*driversqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		if p, err := os.FindProcess(os.Getpid()); err != nil || p.Kill() != nil {
			return nil, err
		}
		select {}
	})
	db, closeDB, err := Open(context.Background(), Config{Dir: dir, Readers: 1}, zap.NewNop())
	if err != nil {
		return err
	}
	defer closeDB()
	if when != "" {
		err = db.Write(context.Background(), func(tx *engine.Tx) error {
			_, err := tx.Exec(fmt.Sprintf("CREATE TEMP TRIGGER dying %s INSERT ON main.audit_blocks "+
				"WHEN (SELECT count(*) FROM main.audit_blocks) = %d BEGIN SELECT die(); END", when, blocks))
			return err
		})
	}
	fmt.Println("ready")
	for r := trailAt(rand.New(rand.NewPCG(number, 1))); err == nil; {
		entries := r.entries(1 + r.few(100))
		err = db.Write(context.Background(), putEntries(entries))
		for i := 0; err == nil && i < len(entries); i++ {
			fmt.Println(entries[i].ID)
		}
	}
	return err
}

// A process that is killed around a block leaves every entry that was acknowledged, and filters
// find it. The next one goes on where it has ended.
func TestCrashBetweenBlocks(t *testing.T) {
	r, dir := newTrail(t), t.TempDir()
	acknowledged := map[string]bool{}
	for round, crash := range []string{"1 BEFORE", "3 AFTER", "0", "6 BEFORE", "9 AFTER", "0"} {
		cmd, lines := startChild(t, fmt.Sprint(round, " ", crash), dir)
		for n := 0; lines.Scan(); n++ {
			acknowledged[lines.Text()] = true
			if crash == "0" && n == 1000 {
				cmd.Process.Kill()
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the child ended by itself")
		}
		db, closeDB, err := Open(context.Background(), Config{Dir: dir, Readers: 2}, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		o := &org{TB: t, db: db}
		whole, err := db.Stores().Audit.Entries(context.Background(), audit.Query{Limit: 1 << 30})
		o.check(err)
		found := map[string]bool{}
		for _, e := range whole {
			found[e.ID] = true
		}
		for id := range acknowledged {
			if !found[id] {
				t.Errorf("after %q the entry %s was acknowledged and is lost", crash, id)
			}
		}
		o.sameAsScan(r, 40)
		n, unblocked := o.blocks()
		if unblocked >= blockEntries {
			t.Errorf("after %q there are %d blocks and %d entries behind them, want fewer than %d", crash, n, unblocked, blockEntries)
		}
		t.Logf("after %q: %d entries of %d acknowledged, %d blocks, %d entries behind them", crash, len(whole), len(acknowledged), n, unblocked)
		closeDB()
	}
}

// A commit that fails leaves no block, and what follows is found.
func TestFiltersAfterAFailedCommit(t *testing.T) {
	o, r := openOrg(t, t.TempDir()), newTrail(t)
	ctx := context.Background()
	entries := putEntries(r.entries(3 * blockEntries))
	limit := func(pages int) func(*engine.Tx) error {
		return func(tx *engine.Tx) error { return tx.Row(fmt.Sprint("PRAGMA max_page_count = ", pages)).Scan(new(int)) }
	}
	dangle := func(tx *engine.Tx) error { // a violation that only the commit notices
		_, err := tx.Exec("PRAGMA defer_foreign_keys = ON")
		if err == nil {
			_, err = tx.Exec("INSERT INTO headcounts (department_key, total, active) VALUES ('nowhere', 1, 1)")
		}
		return errors.Join(err, entries(tx))
	}
	o.check(o.db.Write(ctx, putEntries(r.entries(blockEntries-1))))
	o.check(o.db.Write(ctx, limit(1)))
	for _, fn := range []func(*engine.Tx) error{entries, dangle} {
		if err := o.db.Write(ctx, fn); !errors.Is(err, ports.ErrStorage) {
			t.Errorf("Write = %v, want %v", err, ports.ErrStorage)
		}
		o.sameAsScan(r, 20)
		o.check(o.db.Write(ctx, limit(1<<20)))
	}
	o.sameAsScan(r, 20)
	if n, unblocked := o.blocks(); n != 0 || unblocked != blockEntries-1 {
		t.Errorf("there are %d blocks and %d entries behind them, want none and %d", n, unblocked, blockEntries-1)
	}
	o.check(o.db.Write(ctx, putEntries(r.entries(1))))
	o.sameAsScan(r, 20)
	if n, unblocked := o.blocks(); n != 1 || unblocked != 0 {
		t.Errorf("there are %d blocks and %d entries behind them, want one and none", n, unblocked)
	}
}

// Upkeep makes blocks beside changes, and none is made twice.
func TestBlocksBesideUpkeep(t *testing.T) {
	o, r, ctx := openOrg(t, t.TempDir()), newTrail(t), context.Background()
	core, warnings := observer.New(zap.WarnLevel)
	o.db.blocks.log = zap.New(core)
	var wg sync.WaitGroup
	for range 4 {
		batches := make([]func(*engine.Tx) error, 60)
		for i := range batches {
			batches[i] = putEntries(r.entries(1 + r.IntN(60)))
		}
		wg.Go(func() {
			for _, fn := range batches {
				if err := o.db.Write(ctx, fn); err != nil {
					t.Error(err)
				}
				if _, err := o.db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	o.sameAsScan(r, 60)
	if n, left := o.blocks(); n == 0 || left >= blockEntries || warnings.Len() > 0 {
		t.Errorf("there are %d blocks, %d entries behind them and %v", n, left, warnings.All())
	}
}

// A block that cannot be stored holds up no change. It is stored later.
func TestChangesGoOnWithoutBlocks(t *testing.T) {
	o, r := openOrg(t, t.TempDir()), newTrail(t)
	ctx := context.Background()
	run := func(statement string) {
		o.check(o.db.Write(ctx, func(tx *engine.Tx) error { _, err := tx.Exec(statement); return err }))
	}
	run("CREATE TRIGGER refuse BEFORE INSERT ON audit_blocks BEGIN SELECT raise(ABORT, 'refused'); END")
	o.check(o.db.Write(ctx, putEntries(r.entries(blockEntries))))
	o.sameAsScan(r, 20)
	run("DROP TRIGGER refuse")
	o.check(o.db.Write(ctx, putEntries(r.entries(blockEntries))))
	if n, unblocked := o.blocks(); n != 2 || unblocked != 0 {
		t.Errorf("there are %d blocks and %d entries behind them, want two and none", n, unblocked)
	}
	o.sameAsScan(r, 20)
}

// Blocks go when all their entries have gone.
func TestBlocksExpire(t *testing.T) {
	o, r := openOrg(t, t.TempDir()), newTrail(t)
	ctx := context.Background()
	ahead := r.entry()
	ahead.At = r.at.Add(24 * time.Hour) // by a clock that ran ahead
	o.check(o.db.Write(ctx, putEntries(append(r.entries(2*blockEntries), ahead))))
	o.check(o.db.Write(ctx, putEntries(r.entries(3*blockEntries-1))))
	for _, c := range []struct {
		upTo time.Time
		left int
	}{{r.at.Add(time.Hour), 1}, {ahead.At.Add(time.Hour), 0}} {
		for more := true; more; {
			var err error
			more, err = o.db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{Audit: c.upTo})
			o.check(err)
			o.sameAsScan(r, 5)
		}
		if n, _ := o.blocks(); n != c.left {
			t.Errorf("%d blocks are left, want %d", n, c.left)
		}
	}
}

// A trail of the schema before blocks is filtered at once, and is put into blocks step by step
// beside changes.
func TestBlocksOfAnOlderTrail(t *testing.T) {
	r, dir, ctx := newTrail(t), t.TempDir(), context.Background()
	old, closeOld, err := open(ctx, Config{Dir: dir, Readers: 1}, zap.NewNop(), schemaAt(t, engine.OldestSchema), false)
	if err != nil {
		t.Fatal(err)
	}
	entries := r.entries(5*blockEntries + 7)
	if err := old.Write(ctx, func(tx *engine.Tx) error {
		for i, e := range entries {
			row := newAuditRow(e)
			if _, err := tx.Exec(row.insert, append(row.values, i+1)...); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	closeOld()
	o := openOrg(t, dir)
	o.sameAsScan(r, 50)
	want := 0
	for _, n := range []int{1, 1, blockEntries} {
		o.check(o.db.Write(ctx, putEntries(r.entries(n))))
		want += 1 + n/blockEntries
		o.sameAsScan(r, 20)
		if n, _ := o.blocks(); n > want {
			t.Errorf("there are %d blocks, want at most %d: the others are not for a change to make", n, want)
		}
	}
	for more := true; more; {
		more, err = o.db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{})
		o.check(err)
		o.sameAsScan(r, 5)
	}
	if n, unblocked := o.blocks(); n != 6 || unblocked != 9 {
		t.Errorf("there are %d blocks and %d entries behind them, want 6 and 9", n, unblocked)
	}
	o.sameAsScan(r, 50)
}

// An archive is restored with blocks.
func TestBlocksOfAnArchive(t *testing.T) {
	o, r, ctx := openOrg(t, t.TempDir()), newTrail(t), context.Background()
	store := o.db.Stores().Archive
	_, err := store.Begin(ctx, "a")
	o.check(err)
	var records []archive.Record
	for _, e := range r.entries(3*blockEntries + 1) {
		records = append(records, &archive.Entry{Entry: e})
	}
	for i := 0; i < len(records); i += 500 {
		o.check(store.Load(ctx, records[i:min(i+500, len(records))], int64(i)))
	}
	o.check(store.End(ctx))
	if n, unblocked := o.blocks(); n != 3 || unblocked != 1 {
		t.Errorf("there are %d blocks and %d entries behind them, want 3 and 1", n, unblocked)
	}
	o.check(o.db.Write(ctx, putEntries(r.entries(blockEntries))))
	o.sameAsScan(r, 50)
}

// A block that cannot be read takes no entry away, and a check names every one that is not what
// its entries are.
func TestDamagedBlocks(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	o, r := openOrg(t, dir), newTrail(t)
	o.check(o.db.Write(ctx, putEntries(r.entries(3*blockEntries+5))))
	var last, until int64
	var block []byte
	o.check(o.db.Ask(ctx, func(v *sqlite.View) error {
		return v.Row("SELECT last, until, entries FROM audit_blocks ORDER BY last LIMIT 1 OFFSET 1").Scan(&last, &until, &block)
	}))
	damage := func(column string, value any) {
		t.Helper()
		o.check(o.db.Write(ctx, func(tx *engine.Tx) error {
			return second(tx.Exec("UPDATE audit_blocks SET "+column+" = ? WHERE last = ?", value, last))
		}))
	}
	flipped := slices.Clone(block)
	flipped[3] ^= 4
	for _, c := range []struct {
		column        string
		value, before any
		isRead        bool // by filters, all the same
	}{
		{"entries", []byte{0}, block, true},
		{"entries", block[:len(block)-1], block, true},
		{"entries", append(slices.Clone(block), 0, 0, 0, 0, 0, 0, 0, 0, 255), block, true},
		{"entries", []byte{}, block, false},
		{"entries", flipped, block, false},
		{"until", 0, until, false},
		{"until", until, until, true},
	} {
		damage(c.column, c.value)
		want := []string{fmt.Sprintf("the block of the audit trail that ends with number %d is damaged: filters may leave out some of its entries", last)}
		if c.column == "until" && c.value == until {
			want = nil
		}
		if diff := cmp.Diff(want, damages(t, dir)); diff != "" {
			t.Errorf("Check of %s = %v (-want +got):\n%s", c.column, c.value, diff)
		}
		if c.isRead {
			o.sameAsScan(r, 40)
		}
		damage(c.column, c.before)
	}
	o.check(o.db.Write(ctx, func(tx *engine.Tx) error { return second(tx.Exec("DELETE FROM audit_blocks WHERE last = ?", last)) }))
	if found := damages(t, dir); len(found) != 1 {
		t.Errorf("Check without a block names %q, want the next one", found)
	}
}

// What has expired is in blocks yet, and is no damage.
func TestBlocksOfExpiredEntries(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	o, r := openOrg(t, dir), newTrail(t)
	entries := r.entries(2 * blockEntries)
	o.check(o.db.Write(ctx, putEntries(entries)))
	for more := true; more; {
		var err error
		more, err = o.db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{Audit: entries[300].At})
		o.check(err)
		if found := damages(t, dir); len(found) > 0 {
			t.Errorf("Check names %q, want nothing", found)
		}
	}
}

// Digests are stored: those of a later release are the same.
func TestDigests(t *testing.T) {
	if got, want := ofChange(newDigest("ann", audit.Company, audit.CompanyUpdated), "ops"), memory.Digest(0xf02421b942ded931); got != want {
		t.Errorf("digest = %#x, want %#x", uint64(got), uint64(want))
	}
	others := []audit.Action{
		audit.SessionIssued, audit.SessionRevoked, audit.LinkMade, audit.WebhookCreated, audit.WebhookUpdated, audit.WebhookDeleted,
		audit.DeliveryOrdered, audit.Reported, "",
	}
	of := map[memory.Digest]audit.Action{}
	for _, a := range append(audit.Actions(), others...) {
		if same, taken := of[actionHash(a)]; taken {
			t.Errorf("the hashes of %q and %q are the same", a, same)
		}
		of[actionHash(a)] = a
	}
}
