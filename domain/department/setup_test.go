package department

import (
	"testing"
	"time"

	"orgd/domain/domaintest"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

const (
	adaID  = "0190a1b2-0000-7000-8000-00000000000a"
	bobID  = "0190a1b2-0000-7000-8000-00000000000b"
	cleoID = "0190a1b2-0000-7000-8000-00000000000c"
	goneID = "0190a1b2-0000-7000-8000-0000000000ff"
	gone2  = "0190a1b2-0000-7000-8000-0000000000fe"
)

// people are the agents that exist, in the spellings that these tests use.
var people = identity.References{
	"Ada": adaID, "ADA": adaID, adaID: adaID, "0190A1B2-0000-7000-8000-00000000000A": adaID,
	"Bob": bobID, bobID: bobID, "Cleo": cleoID,
}

var dawn = time.Date(2026, 1, 31, 23, 59, 59, 999e6, time.UTC)

func later(ms int) time.Time { return dawn.Add(time.Duration(ms) * time.Millisecond) }

func patch(t testing.TB, text string) Patch {
	t.Helper()
	return domaintest.Read(t, ParsePatch, text).Resolve(people)
}

// found makes the department Ops, with more members given as JSON text.
func found(t testing.TB, more string) Department {
	t.Helper()
	p, err := ParseNew(domaintest.JSON(t, ops(more)))
	if err != nil {
		t.Fatalf("ParseNew(%s) = %v", more, err)
	}
	d, err := New("d-1", p.Resolve(people), 0, dawn)
	if err != nil {
		t.Fatalf("New(%s) = %v", more, err)
	}
	return d
}

func ops(more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"name":"Ops"` + more + `}`
}

// canonical is what a store keeps of d.
func canonical(t testing.TB, d Department) jsondoc.Value {
	t.Helper()
	v, err := jsondoc.ParseStored(d.Canonical())
	if err != nil {
		t.Fatalf("Canonical is no JSON: %v", err)
	}
	return v
}
