package limit

import (
	"testing"

	"orgd/domain/fault"
)

func TestPlaces(t *testing.T) {
	d := Documents()
	var leave []func()
	enter := func(subject string, wantCap int) {
		t.Helper()
		out, refused := d.Enter("organization.plan", subject)
		switch {
		case wantCap == 0 && refused == nil:
			leave = append(leave, out)
		case wantCap == 0 || refused == nil || refused.Cap != wantCap:
			t.Errorf("Enter(%s) = %+v, want a refusal with cap %d (0: none)", subject, refused, wantCap)
		case fault.Of(refused.Err()).Code != fault.ConcurrencyLimited || refused.RetryAfter <= 0:
			t.Errorf("Enter(%s) = %v, want 5002 with a time", subject, refused.Err())
		}
	}
	enter("ann", 0)
	enter("ann", 0)
	enter("ann", 2)
	enter("bob", 0)
	enter("eve", 0)
	enter("zoe", 4)
	leave[0]()
	enter("zoe", 0)
	enter("ann", 4)
	for _, out := range leave[1:] {
		out()
	}
	if d.taken != 0 || len(d.ofSubject) != 0 {
		t.Errorf("after all have left: %d, %v", d.taken, d.ofSubject)
	}
}
