package agent

import (
	"fmt"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/domaintest"
	"orgd/domain/identity"
)

const (
	adaID = "0190a1b2-0000-7000-8000-00000000000a"
	bobID = "0190a1b2-0000-7000-8000-00000000000b"
)

// people are the agents that exist in these tests.
var people = identity.References{"Ada": adaID, adaID: adaID, "Bob": bobID, bobID: bobID}

var dawn = time.Date(2026, 1, 31, 23, 59, 59, 999e6, time.UTC)

func because(c activity.Cause, reason string) activity.Cause {
	c.Reason = &reason
	return c
}

// on is a cause some milliseconds after dawn.
func on(ms int) activity.Cause {
	made := 0
	newID := func() string {
		made++
		return fmt.Sprintf("event-%d", made)
	}
	return activity.Cause{At: dawn.Add(time.Duration(ms) * time.Millisecond), By: "root", IDs: &activity.IDs{New: newID}}
}

// patch is a checked patch whose references are resolved.
func patch(t testing.TB, text string) Patch {
	t.Helper()
	return domaintest.Read(t, ParsePatch, text).Resolve(people)
}

func parseNew(t testing.TB, text string) Patch {
	t.Helper()
	return domaintest.Read(t, ParseNew, text).Resolve(people)
}

// hire makes Ada, with more members given as JSON text.
func hire(t testing.TB, more string) Agent {
	t.Helper()
	s, err := Hire(adaID, parseNew(t, ada(more)), on(0))
	if err != nil {
		t.Fatalf("Hire(%s) = %v", more, err)
	}
	return s.Agent
}

func ada(more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"name":"Ada","role":"Engineer","department":"Platform"` + more + `}`
}
