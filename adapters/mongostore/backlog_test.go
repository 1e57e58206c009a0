package mongostore

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/adapters/telemetry"
	"orgd/ports"
)

// What a replica leaves that dies shows until somebody finishes it.
func TestBacklog(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	o.sequenceAll(o.db)
	o.wantBacklog(telemetry.Backlog{})

	o.db.hook = func(at string) error {
		if at == "settle.begin" {
			return errCrash
		}
		return nil
	}
	var n ports.Counted
	if err := o.appending(o.reports(id, 3), &n)(t.Context(), o.Stores); !errors.Is(err, errCrash) {
		t.Fatalf("Append = %v, want to stop before anything is settled", err)
	}
	o.db.hook = nil
	o.wantBacklog(telemetry.Backlog{}) // nobody but its own request looks after it
	o.clock.advance(5 * time.Second)
	o.wantBacklog(telemetry.Backlog{Unfinished: 1, Oldest: 5 * time.Second, Rollups: 5 * time.Second})

	o.must(o.db.Sweep(t.Context()))
	o.wantBacklog(telemetry.Backlog{Log: 5 * time.Second})
	o.sequenceAll(o.db)
	o.wantBacklog(telemetry.Backlog{})
}

func (o *office) wantBacklog(want telemetry.Backlog) {
	o.Helper()
	got, err := o.db.Backlog(o.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		o.Errorf("Backlog = %v (-want +got):\n%s", err, diff)
	}
}
