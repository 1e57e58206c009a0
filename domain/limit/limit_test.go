package limit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/fault"
	"orgd/domain/limit"
)

func TestDenial(t *testing.T) {
	window := limit.Window{Name: "agents.create", Key: "s", Cap: 60, Length: time.Minute}
	rate, operation := window, window
	rate.Code, operation.Code = fault.RateLimited, fault.OperationLimited
	failures := rate
	failures.Name = limit.AuthFailuresName
	for _, tc := range []struct {
		label  string
		denial *limit.Denial
		kind   error
		code   fault.Code
		msg    string
		after  time.Duration
	}{
		{"rate", rate.Deny(1500 * time.Millisecond), limit.ErrRate, 5000, "at most 60 requests are allowed in 60 s", 2 * time.Second},
		{"failed authentications", failures.Deny(time.Second), limit.ErrRate, 5000, "at most 60 failed authentications are allowed in 60 s", time.Second},
		{"operation", operation.Deny(59 * time.Second), limit.ErrOperation, 5001, "at most 60 of agents.create are allowed in 60 s", 59 * time.Second},
		{"operation, a moment", operation.Deny(1), limit.ErrOperation, 5001, "at most 60 of agents.create are allowed in 60 s", time.Second},
		{"a nanosecond more", rate.Deny(time.Second + 1), limit.ErrRate, 5000, "at most 60 requests are allowed in 60 s", 2 * time.Second},
		{"never unknown", rate.Deny(0), limit.ErrRate, 5000, "at most 60 requests are allowed in 60 s", time.Second},
		{"slot", limit.Slot{Name: "agents.rollback", Cap: 2}.Deny(), limit.ErrConcurrency, 5002, "at most 2 of agents.rollback may run at once", time.Second},
	} {
		t.Run(tc.label, func(t *testing.T) {
			err := tc.denial.Err()
			f := fault.Of(err)
			if !errors.Is(err, tc.kind) || f.Code != tc.code || f.Msg != tc.msg || f.RetryAfter != tc.after {
				t.Errorf("Err() = %d %q after %v, want %d %q after %v", f.Code, f.Msg, f.RetryAfter, tc.code, tc.msg, tc.after)
			}
		})
	}
}

func TestOutlast(t *testing.T) {
	full := func(reset time.Duration) limit.Usage { return limit.Usage{Reset: reset} }
	for _, tc := range []struct {
		label  string
		usages []limit.Usage
		want   time.Duration
	}{
		{"nothing known", nil, 3 * time.Second},
		{"shorter", []limit.Usage{full(2 * time.Second)}, 3 * time.Second},
		{"longer", []limit.Usage{full(2 * time.Second), full(9*time.Second + 1), full(4 * time.Second)}, 10 * time.Second},
		{"longer, but with room", []limit.Usage{{Remaining: 1, Reset: time.Minute}}, 3 * time.Second},
	} {
		t.Run(tc.label, func(t *testing.T) {
			d := limit.Window{Cap: 1, Length: time.Minute}.Deny(3 * time.Second)
			if d.Outlast(tc.usages); d.RetryAfter != tc.want {
				t.Errorf("Outlast(%v) leaves %v, want %v", tc.usages, d.RetryAfter, tc.want)
			}
		})
	}
}

func TestAskPerReplica(t *testing.T) {
	ask := limit.Ask{
		Address:        "a",
		AddressWindows: []limit.Window{{Name: "address", Cap: 10}},
		Subject:        "s",
		SubjectWindows: []limit.Window{{Name: "subject", Cap: 2}, {Name: "off"}},
		Slot:           &limit.Slot{Name: "op", Cap: 7},
	}
	got := ask.PerReplica(3)
	want := limit.Ask{
		Address:        "a",
		AddressWindows: []limit.Window{{Name: "address", Cap: 3}},
		Subject:        "s",
		SubjectWindows: []limit.Window{{Name: "subject", Cap: 1}, {Name: "off"}},
		Slot:           &limit.Slot{Name: "op", Cap: 2},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("PerReplica(3) differs (-want +got):\n%s", d)
	}
	if ask.AddressWindows[0].Cap != 10 || ask.Slot.Cap != 7 {
		t.Errorf("PerReplica(3) changed the ask to %+v", ask)
	}
}
