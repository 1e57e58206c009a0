package memory

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"orgd/adapters/agentindex"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

func recordOf(id string, length int) *Record {
	text := strings.Repeat("x", length)
	return &Record{Record: agent.Record{ID: agent.ID(id), Identity: text}, Stored: text, PackedID: id, PackedKey: id, NameKey: name.Key("name of " + id)}
}

func TestRecordsAreBounded(t *testing.T) {
	const each = 1000
	c := NewRecords(100 * each)
	for i := range 1000 {
		c.Put(0, recordOf(fmt.Sprint(i), each-recordOverhead-20))
		c.Get(identity.Ref{ID: "0"}) // asked for all the time
		if n := max(c.byID.Len(), len(c.names)); n > 110 || n < min(i, 90) {
			t.Fatalf("%d records are remembered, want about 100", n)
		}
	}
	for id, want := range map[agent.ID]bool{"0": true, "999": true, "910": true, "890": false, "1": false} {
		if _, ok := c.Get(identity.Ref{ID: id}); ok != want {
			t.Errorf("agent %s is remembered: %t, want %t", id, ok, want)
		}
		if _, ok := c.Get(identity.Ref{Name: name.Key("name of " + id)}); ok != want {
			t.Errorf("agent %s is remembered by its name: %t, want %t", id, ok, want)
		}
	}
}

// What a read found that a commit may have overtaken is not remembered.
func TestRecordsOfReadsBesideCommits(t *testing.T) {
	ref := identity.Ref{ID: "a"}
	known := func(c *Records) bool { _, ok := c.Get(ref); return ok }
	c, gone := NewRecords(1<<20), AgentChange{Change: agentindex.Change{ID: "a", Was: "a"}}
	before := c.Now()
	change := Changes{Agents: []AgentChange{gone}}
	c.before(change)
	during := c.Now()
	c.Put(before, recordOf("a", 1))
	c.Put(during, recordOf("a", 1))
	if known(c) {
		t.Error("a record is remembered during the commit that changes it")
	}
	c.after(change, nil)
	c.Put(before, recordOf("a", 1))
	c.Put(during, recordOf("a", 1))
	if known(c) {
		t.Error("a record that was read before the commit is remembered behind it")
	}
	after := c.Now()
	c.Put(after, recordOf("a", 1), recordOf("b", 1))
	for _, id := range []string{"a", "b"} {
		if rec, ok := c.Member(after, []byte(id)); !ok || string(rec.ID) != id {
			t.Errorf("member(%s) = %v, %t, want it", id, rec, ok)
		}
	}
	c.before(change)
	c.after(change, nil)
	if known(c) || len(c.names) != 1 || c.byID.Size() != recordOf("b", 1).size() {
		t.Error("a record is remembered after a commit that changed it")
	}
	if _, ok := c.Member(after, []byte("b")); ok {
		t.Error("records of before a commit are taken for those of one time")
	}
	if _, ok := c.Member(c.Now(), []byte("b")); !ok {
		t.Error("a commit made the store forget an agent that it did not change")
	}
	c.before(Changes{})
	c.after(Changes{}, nil)
	if c.Now()%2 != 0 {
		t.Error("a commit without agents never ends")
	}
}

// What a commit has stored is remembered, as the last change in it left it.
func TestRecordsOfCommits(t *testing.T) {
	gone := AgentChange{Change: agentindex.Change{ID: "a", Was: "a"}}
	become := func(id string, length int) AgentChange {
		return AgentChange{agentindex.Change{ID: id, Was: id}, recordOf(id, length)}
	}
	for what, x := range map[string]struct {
		changed []AgentChange
		failed  error
		want    int // length of the identity, 0: forgotten
	}{
		"one change":                   {[]AgentChange{gone, become("a", 2)}, nil, 2},
		"two changes":                  {[]AgentChange{gone, become("a", 2), gone, become("a", 3)}, nil, 3},
		"an unknown record behind one": {[]AgentChange{become("a", 2), gone}, nil, 0},
		"a commit that has failed":     {[]AgentChange{gone, become("a", 2)}, errors.New("lost"), 0},
	} {
		c := NewRecords(1 << 20)
		c.Put(0, recordOf("a", 1))
		c.before(Changes{Agents: x.changed})
		if _, ok := c.Get(identity.Ref{ID: "a"}); ok {
			t.Errorf("%s: the agent is remembered before it is stored", what)
		}
		c.after(Changes{Agents: x.changed}, x.failed)
		rec, ok := c.Get(identity.Ref{ID: "a"})
		if ok != (x.want > 0) || ok && len(rec.Identity) != x.want {
			t.Errorf("%s: the agent is remembered as %v, %t, want %d bytes", what, rec, ok, x.want)
		}
	}
}
