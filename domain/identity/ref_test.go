package identity

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
)

const otherUUID = "0190a1b2-0000-7000-8000-00000000000b"

func TestParseRef(t *testing.T) {
	for text, want := range map[string]Ref{
		uuid:                  {ID: uuid},
		strings.ToUpper(uuid): {ID: uuid},
		" Ada ":               {Name: "ada"},
		"STRASSE":             {Name: "strasse"},
		"Straße":              {Name: "strasse"},
		uuid + "0":            {Name: uuid + "0"},
		" Ada Lovelace-x":     {Name: "ada lovelace-x"},
	} {
		if got, err := ParseRef(text); got != want || err != nil {
			t.Errorf("ParseRef(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", ".", "..", "a\tb", "\u200d", strings.Repeat("x", 129), "\xff", " " + uuid + " "} {
		if got, err := ParseRef(text); domaintest.Code(err) != 2001 {
			t.Errorf("ParseRef(%q) = %+v, %v, want 2001", text, got, err)
		}
	}
}

// People are the agents that exist: Ada and Bob, as callers wrote them.
var people = References{"Ada": uuid, "ADA": uuid, uuid: uuid, "Bob": otherUUID}

func TestReferences(t *testing.T) {
	if got, err := people.ID("head", "ADA"); got != uuid || err != nil {
		t.Errorf("ID(ADA) = %q, %v, want %q", got, err, uuid)
	}
	for _, text := range []string{"Eve", otherUUID} { // an id that nobody has is unknown, too
		if _, err := people.ID("head", text); !errors.Is(err, ErrUnknownReference) || domaintest.Code(err) != 2000 ||
			err.Error() != `head: there is no agent "`+text+`"` {
			t.Errorf("ID(%s) = %v, want ErrUnknownReference naming field and agent", text, err)
		}
	}
	if got, err := people.IDOrNull("head", nil); got != nil || err != nil {
		t.Errorf("IDOrNull(nil) = %v, %v, want nil", got, err)
	}
	if got, err := people.IDOrNull("head", new("Bob")); err != nil || *got != otherUUID {
		t.Errorf("IDOrNull(Bob) = %v, %v, want %s", got, err, otherUUID)
	}
	if got, err := people.IDOrNull("head", new("Eve")); got != nil || !errors.Is(err, ErrUnknownReference) {
		t.Errorf("IDOrNull(Eve) = %v, %v, want ErrUnknownReference", got, err)
	}
}

func TestReferenceLists(t *testing.T) {
	if got, err := people.IDs("team", nil); got != nil || err != nil {
		t.Errorf("IDs(nil) = %v, %v, want nil", got, err)
	}
	given := []string{"Bob", "Ada"}
	got, err := people.IDs("team", given)
	if diff := cmp.Diff([]string{otherUUID, uuid}, got); diff != "" || err != nil {
		t.Errorf("IDs = %v (-want +got):\n%s", err, diff)
	}
	if !slices.Equal(given, []string{"Bob", "Ada"}) {
		t.Errorf("IDs has changed its argument to %v", given)
	}
	_, err = people.IDs("team", []string{"Ada", "Bob", "ADA"})
	if want := `team: names the agent "ADA" twice`; !errors.Is(err, ErrCombination) || domaintest.Code(err) != 2000 || err.Error() != want {
		t.Errorf("IDs(twice) = %v, want %q", err, want)
	}
	if _, err := people.IDs("team", []string{"Eve"}); !errors.Is(err, ErrUnknownReference) {
		t.Errorf("IDs(Eve) = %v, want ErrUnknownReference", err)
	}
}

func TestResolveReferences(t *testing.T) {
	var gone ID = "0190a1b2-0000-7000-8000-0000000000ff"
	c := Content{Authority: Authority{ReportsTo: new("ADA"), CanDelegateTo: []string{"Bob", strings.ToUpper(string(gone))}}}
	given := c
	if err := c.ResolveReferences(people); err != nil {
		t.Fatalf("ResolveReferences = %v", err)
	}
	want := Authority{ReportsTo: new(uuid), CanDelegateTo: []string{otherUUID, string(gone)}}
	if diff := cmp.Diff(want, c.Authority); diff != "" {
		t.Errorf("ResolveReferences (-want +got):\n%s", diff)
	}
	if *given.Authority.ReportsTo != "ADA" || given.Authority.CanDelegateTo[0] != "Bob" {
		t.Errorf("ResolveReferences wrote into the value before: %+v", given.Authority)
	}
	for _, tc := range []struct {
		a    Authority
		want error
		msg  string
	}{
		{Authority{ReportsTo: new("Eve")}, ErrUnknownReference, `authority.reports_to: there is no agent "Eve"`},
		{Authority{CanDelegateTo: []string{"Ada", "Eve"}}, ErrUnknownReference, `authority.can_delegate_to: there is no agent "Eve"`},
		{Authority{CanDelegateTo: []string{"Ada", uuid}}, ErrCombination, `authority.can_delegate_to: names the agent "` + uuid + `" twice`},
		{Authority{CanDelegateTo: []string{string(gone), strings.ToUpper(string(gone))}}, ErrCombination, `authority.can_delegate_to: names`},
	} {
		c := Content{Authority: tc.a}
		if err := c.ResolveReferences(people); !errors.Is(err, tc.want) || !strings.HasPrefix(err.Error(), tc.msg) {
			t.Errorf("ResolveReferences(%+v) = %v, want %q", tc.a, err, tc.msg)
		}
	}
}
