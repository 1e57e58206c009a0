package faults

import (
	"context"
	"crypto/sha256"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// What is to be done in seconds tells nothing of the program while the machine
// itself, or the storage that it shares, stands still for as long. So that is
// watched beside the tests, and what was late then is printed and not judged.
const (
	// watchEvery is the pause between two looks, and looksKept for how many looks
	// back they are known.
	watchEvery, looksKept = 250 * time.Millisecond, 10_000
	// work is what each look has to compute, some milliseconds.
	work = 4 << 20 // bytes
	// standstill is a wait that nothing of a working machine takes.
	standstill = 500 * time.Millisecond
)

// watch knows how long somebody had to wait who did the same all the time.
type watch struct {
	mu    sync.Mutex
	looks []glance // the newest last
}

type glance struct {
	at     time.Time
	waited time.Duration
}

// processors is the watch of the processors.
var processors watch

func (w *watch) note(waited time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.looks) == looksKept {
		w.looks = slices.Delete(w.looks, 0, looksKept/2)
	}
	w.looks = append(w.looks, glance{time.Now(), waited})
}

// worst is the longest wait that ended after a time.
func (w *watch) worst(since time.Time) (most time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range slices.Backward(w.looks) {
		if l.at.Before(since) {
			break
		}
		most = max(most, l.waited)
	}
	return most
}

// watched are tests that run beside the watch of the processors.
type watched struct{ tests *testing.M }

func (w watched) Run() int {
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { watchProcessors(stop) })
	defer watching.Wait()
	defer close(stop)
	return w.tests.Run()
}

// watchProcessors computes something again and again until stop is closed: the
// time that this takes and no processor is at it, is waited.
func watchProcessors(stop <-chan struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	block := make([]byte, work)
	for {
		begun, used := time.Now(), threadTime()
		sha256.Sum256(block)
		processors.note(time.Since(begun) - (threadTime() - used))
		select {
		case <-stop:
			return
		case <-time.After(watchEvery):
		}
	}
}

// threadTime is how long processors have been at the calling thread.
func threadTime() time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thisThread, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// watchStorage changes a document of its own again and again until the test ends.
func watchStorage(t *testing.T, db *mongo.Database) *watch {
	w := &watch{}
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	coll := db.Collection("looks")
	watching.Go(func() {
		for ctx.Err() == nil {
			begun := time.Now()
			_, _ = coll.UpdateByID(ctx, 0, bson.M{"$inc": bson.M{"n": 1}}, options.UpdateOne().SetUpsert(true)) // only its time matters
			w.note(time.Since(begun))
			select {
			case <-ctx.Done():
			case <-time.After(watchEvery):
			}
		}
	})
	t.Cleanup(func() {
		stop()
		watching.Wait()
	})
	return w
}

// late fails the test because of something that took too long and is over by now,
// unless the machine stood still meanwhile, or the storage, if that is watched.
func late(t *testing.T, storage *watch, took time.Duration, format string, args ...any) {
	t.Helper()
	since := time.Now().Add(-took - time.Second)
	waited := processors.worst(since)
	if storage != nil {
		waited = max(waited, storage.worst(since))
	}
	if waited < standstill {
		t.Errorf(format, args...)
		return
	}
	t.Logf("NOT JUDGED, since the machine stood still for %s meanwhile: "+format,
		append([]any{waited.Round(time.Millisecond)}, args...)...)
}
