package app

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"orgd/domain/organization"
)

// Operations of a phase run at the same time, within bounds of their number and size.
// After an error no more are started.
func TestEach(t *testing.T) {
	failed := errors.New("failed")
	for what, tc := range map[string]struct {
		sizes      []int // in bytes
		fails      int   // the one that fails, none if negative
		most, runs int   // at the same time, and in all
	}{
		"small":      {make([]int, 100), -1, writesAtOnce, 100},
		"few":        {make([]int, 3), -1, 3, 3},
		"none":       {nil, -1, 0, 0},
		"large":      {[]int{bytesAtOnce / 2, bytesAtOnce / 2, bytesAtOnce / 2, bytesAtOnce / 2}, -1, 2, 4},
		"very large": {[]int{bytesAtOnce * 2, bytesAtOnce * 3, 1}, -1, 1, 3},
		"error":      {make([]int, 100), 0, writesAtOnce, writesAtOnce},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ops := make([]organization.Operation, len(tc.sizes))
				for i, size := range tc.sizes {
					ops[i] = organization.Operation{Entry: i, Size: size}
				}
				var mu sync.Mutex
				running, most, runs, bytes := 0, 0, 0, 0
				count := func(op organization.Operation, n int) {
					mu.Lock()
					defer mu.Unlock()
					running, bytes = running+n, bytes+n*op.Size
					if most, runs = max(most, running), runs+max(n, 0); bytes > bytesAtOnce && running > 1 {
						t.Errorf("%d operations of %d bytes run at the same time", running, bytes)
					}
				}
				done, err := each(ops, func(organization.Operation) error { return nil }, func(op organization.Operation) error {
					count(op, 1)
					defer count(op, -1)
					if op.Entry == tc.fails {
						return failed
					}
					time.Sleep(time.Second)
					return nil
				})
				if want := tc.fails >= 0; errors.Is(err, failed) != want || !want && err != nil {
					t.Errorf("each = %v, want an error %t", err, want)
				}
				if failures := runs - done; err == nil && failures != 0 || err != nil && failures != 1 {
					t.Errorf("each has done %d of %d", done, runs)
				}
				if most > tc.most || tc.fails < 0 && most != tc.most || runs != tc.runs {
					t.Errorf("%d ran, %d at the same time; want %d, %d", runs, most, tc.runs, tc.most)
				}
			})
		})
	}
}
