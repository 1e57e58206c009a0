package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/test/seed"
)

// The test binary runs itself as another process when these are set.
const (
	childRole = "ORGD_TEST_ROLE"
	childDir  = "ORGD_TEST_DIR"
)

// child opens the directory and, as the role says, waits or writes until it
// is killed. It prints a line when it is ready, and one for every item that
// was acknowledged.
func child(role, dir string) int {
	db, closeDB, err := tryOpen(dir, testSchema)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer closeDB()
	fmt.Println("ready")
	if role == "hold" {
		io.Copy(io.Discard, os.Stdin)
		return 0
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() { writeForever(db, fmt.Sprintf("%s-%d", role, w)) })
	}
	wg.Wait()
	return 1
}

func writeForever(db *DB, prefix string) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%d", prefix, i)
		if err := db.Write(context.Background(), putter(name)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		fmt.Println(name)
	}
}

// StartChild starts another process in a role and returns it when it is ready.
func startChild(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("child said %q, %v", lines.Text(), lines.Err())
	}
	return cmd, lines
}

// kill ends the child as a crash would.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
}

func TestOpenNamesTheProcessThatHoldsTheDirectory(t *testing.T) {
	dir := t.TempDir()
	cmd, _ := startChild(t, "hold", dir)
	_, _, err := tryOpen(dir, testSchema)
	want := fmt.Sprintf("%s is held by process %d;", dir, cmd.Process.Pid)
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), want) {
		t.Errorf("open = %v, want %q", err, want)
	}
	kill(t, cmd)
	mustPut(t, openTest(t, dir), "a") // nothing stays locked
}

func TestCrashLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	var acknowledged []string
	random := seed.Rand(t)
	for round := range 8 {
		cmd, lines := startChild(t, fmt.Sprint(round), dir)
		before := len(acknowledged)
		if round%2 == 0 && lines.Scan() { // however slow the machine is
			acknowledged = append(acknowledged, lines.Text())
		}
		timer := time.AfterFunc(time.Duration(5+random.IntN(150))*time.Millisecond, func() { cmd.Process.Kill() })
		for lines.Scan() {
			acknowledged = append(acknowledged, lines.Text())
		}
		timer.Stop()
		if err := cmd.Wait(); err == nil {
			t.Error("the child ended by itself")
		}
		t.Logf("round %d: %d writes acknowledged", round, len(acknowledged)-before)
		checkAfterCrash(t, dir, acknowledged)
	}
	if len(acknowledged) == 0 {
		t.Error("no write was acknowledged in any round")
	}
}

// Most is a bound on time: generous, or strict if ORGD_LONG=1.
func most(generous, strict time.Duration) time.Duration {
	if os.Getenv("ORGD_LONG") == "1" {
		return strict
	}
	return generous
}

// checkAfterCrash opens a directory, looks for the acknowledged items and for
// changes of which a part is missing, and closes it again.
func checkAfterCrash(t *testing.T, dir string, acknowledged []string) {
	t.Helper()
	start := time.Now()
	db, closeDB, err := tryOpen(dir, testSchema)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB()
	if took, most := time.Since(start), most(20*time.Second, 2*time.Second); took > most {
		t.Errorf("open after a crash took %s, want at most %s", took, most)
	}
	kept := map[string]bool{}
	for _, name := range names(t, db) {
		kept[name] = true
	}
	for _, name := range acknowledged {
		if !kept[name] {
			t.Errorf("item %s was acknowledged and is lost", name)
		}
	}
	wantWhole(t, db)
}

// wantWhole checks that the database is sound and every item has its version.
func wantWhole(t *testing.T, db *DB) {
	t.Helper()
	var verdict string
	var half int
	err := db.Read(context.Background(), func(v *sqlite.View) error {
		return errors.Join(
			v.Row("PRAGMA integrity_check").Scan(&verdict),
			v.Row("SELECT count(*) FROM item FULL JOIN version ON item = seq WHERE item IS NULL OR seq IS NULL").Scan(&half),
		)
	})
	if err != nil || verdict != "ok" || half != 0 {
		t.Errorf("integrity %q, %d half changes, %v", verdict, half, err)
	}
}
