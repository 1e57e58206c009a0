package limit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/fault"
	"orgd/domain/limit"
)

func TestDefaults(t *testing.T) {
	c := limit.Defaults()
	for name, r := range c.Operations {
		if r.Cap < 1 || r.Length != time.Minute {
			t.Errorf("Defaults().Operations[%s] = %v, want a cap in a minute", name, r)
		}
	}
	if got := len(c.Operations); got != 22 {
		t.Errorf("Defaults() has %d operations, want 22", got)
	}
	for name, n := range c.Slots {
		if n < 1 {
			t.Errorf("Defaults().Slots[%s] = %d, want at least 1", name, n)
		}
	}
	c.Operations["agents.create"] = limit.Rate{}
	if limit.Defaults().Operations["agents.create"].Cap != 60 {
		t.Error("changing one Defaults() changes the next")
	}
}

func TestCapsPerReplica(t *testing.T) {
	caps := limit.Caps{
		Address:      limit.Rate{Cap: 10, Length: time.Second},
		AuthFailures: limit.Rate{Cap: 2, Length: time.Minute},
		Operations:   map[string]limit.Rate{"a": {Cap: 9, Length: time.Hour}, "off": {}},
		Slots:        map[string]int{"a": 1, "b": 8, "off": 0},
	}
	for n, want := range map[int]limit.Caps{
		-1: caps, 0: caps, 1: caps,
		3: {
			Address:      limit.Rate{Cap: 3, Length: time.Second},
			AuthFailures: limit.Rate{Cap: 1, Length: time.Minute},
			Operations:   map[string]limit.Rate{"a": {Cap: 3, Length: time.Hour}, "off": {}},
			Slots:        map[string]int{"a": 1, "b": 2, "off": 0},
		},
	} {
		if d := cmp.Diff(want, caps.PerReplica(n)); d != "" {
			t.Errorf("PerReplica(%d) differs (-want +got):\n%s", n, d)
		}
	}
}

func TestCapsAsk(t *testing.T) {
	c := limit.Defaults()
	window := func(name, key string, cap int, code fault.Code) limit.Window {
		return limit.Window{Name: name, Key: key, Cap: cap, Length: time.Minute, Code: code}
	}
	address := window("address", "10.0.0.1", 10_000, fault.RateLimited)
	subject := window("subject", "anna", 6_000, fault.RateLimited)
	withoutSubject := c
	withoutSubject.Subject = limit.Rate{}
	for _, tc := range []struct {
		label string
		caps  limit.Caps
		req   limit.Request
		want  limit.Ask
	}{
		{"no token", c, limit.Request{Address: "10.0.0.1", Operation: "agents.create"},
			limit.Ask{Address: "10.0.0.1", AddressWindows: []limit.Window{address}}},
		{"bad token", c, limit.Request{Address: "10.0.0.1", BadToken: true, Operation: "agents.create"},
			limit.Ask{Address: "10.0.0.1", AddressWindows: []limit.Window{address, window("auth-failures", "10.0.0.1", 30, fault.RateLimited)}}},
		{"good token, reading", c, limit.Request{Address: "10.0.0.1", Subject: "anna"},
			limit.Ask{Address: "10.0.0.1", AddressWindows: []limit.Window{address}, Subject: "anna", SubjectWindows: []limit.Window{subject}}},
		{"window and slot", c, limit.Request{Address: "10.0.0.1", Subject: "anna", Operation: "agents.rollback"},
			limit.Ask{Address: "10.0.0.1", AddressWindows: []limit.Window{address}, Subject: "anna",
				SubjectWindows: []limit.Window{subject, window("agents.rollback", "anna", 30, fault.OperationLimited)},
				Slot:           &limit.Slot{Name: "agents.rollback", Key: "anna", Cap: 2}}},
		{"slot only", c, limit.Request{Address: "10.0.0.1", Subject: "anna", Operation: "activities.stream"},
			limit.Ask{Address: "10.0.0.1", AddressWindows: []limit.Window{address}, Subject: "anna",
				SubjectWindows: []limit.Window{subject}, Slot: &limit.Slot{Name: "activities.stream", Key: "anna", Cap: 4}}},
		{"one rate off", withoutSubject, limit.Request{Address: "10.0.0.1", Subject: "anna", Operation: "webhooks.test"},
			limit.Ask{Address: "10.0.0.1", AddressWindows: []limit.Window{address}, Subject: "anna",
				SubjectWindows: []limit.Window{window("webhooks.test", "anna", 10, fault.OperationLimited)}}},
		{"all off", limit.Off(), limit.Request{Address: "10.0.0.1", Subject: "anna", Operation: "agents.rollback"},
			limit.Ask{Address: "10.0.0.1", Subject: "anna", SubjectWindows: []limit.Window{}}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if d := cmp.Diff(tc.want, tc.caps.Ask(tc.req)); d != "" {
				t.Errorf("Ask(%+v) differs (-want +got):\n%s", tc.req, d)
			}
		})
	}
}

// What calls the identity provider counts for its address, and for everybody together.
func TestCapsAskSignIn(t *testing.T) {
	caps := limit.Caps{SignIns: limit.Rate{Cap: 2, Length: time.Minute}, AllSignIns: limit.Rate{Cap: 9, Length: time.Hour}}
	want := limit.Ask{
		Address:        "10.0.0.1",
		AddressWindows: []limit.Window{{Name: "sign-ins", Key: "10.0.0.1", Cap: 2, Length: time.Minute, Code: fault.RateLimited}},
		Subject:        "all-sign-ins",
		SubjectWindows: []limit.Window{{Name: "all-sign-ins", Key: "all-sign-ins", Cap: 9, Length: time.Hour, Code: fault.RateLimited}},
	}
	if d := cmp.Diff(want, caps.AskSignIn("10.0.0.1")); d != "" {
		t.Errorf("AskSignIn differs (-want +got):\n%s", d)
	}
	if d := cmp.Diff(limit.Caps{SignIns: limit.Rate{Cap: 1, Length: time.Minute}, AllSignIns: limit.Rate{Cap: 4, Length: time.Hour}, Operations: map[string]limit.Rate{}, Slots: map[string]int{}}, caps.PerReplica(2)); d != "" {
		t.Errorf("PerReplica(2) differs (-want +got):\n%s", d)
	}
	if d := limit.Defaults(); d.SignIns.Cap < 1 || d.AllSignIns.Cap <= d.SignIns.Cap {
		t.Errorf("Defaults() = %v for an address, %v in all, want caps, and one address never to use all", d.SignIns, d.AllSignIns)
	}
	for _, w := range append(want.AddressWindows, want.SubjectWindows...) {
		if err := w.Deny(time.Second).Err(); !strings.Contains(err.Error(), "sign-ins are allowed in") {
			t.Errorf("the refusal of %s is %v", w.Name, err)
		}
	}
}
