package telemetry

import (
	"context"
	"errors"
	"strings"
	"testing"

	"orgd/domain/fault"
	"orgd/ports"
)

// measured is an operation of a store that ends with err.
func measured(ctx context.Context, o Observer, err error) {
	defer o.Begin(&ctx, "company.get").End(&err)
}

func TestObserverOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		outcome string
	}{
		"answered":    {nil, "ok"},
		"refused":     {fault.New(fault.NotFound, "not found"), "ok"},
		"unavailable": {ports.ErrUnavailable.Because(errors.New("cut")), "error"},
		"storage":     {ports.ErrStorage, "error"},
		"unknown":     {errors.New("surprise"), "error"},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMetrics("v", "c")
			measured(t.Context(), Observer{Metrics: m}, c.err)
			want := `orgd_store_operation_duration_seconds_count{operation="company.get",outcome="` + c.outcome + `"} 1`
			if !strings.Contains(scrape(t, m), want) {
				t.Errorf("metrics lack %s", want)
			}
		})
	}
}
