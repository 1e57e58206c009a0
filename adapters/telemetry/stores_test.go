package telemetry

import (
	"context"
	"errors"
	"strings"
	"testing"

	"orgd/domain/company"
	"orgd/domain/fault"
	"orgd/ports"
)

// failing is a store whose every answer is the error.
type failing struct {
	ports.CompanyStore
	err error
}

func (s failing) Company(context.Context) (company.Company, error) { return company.Company{}, s.err }

func TestMeasuredOutcome(t *testing.T) {
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
			s := m.Measured(ports.Stores{Company: failing{err: c.err}}, nil)
			if _, err := s.Company.Company(t.Context()); !errors.Is(err, c.err) {
				t.Errorf("Company = %v, want the store's own %v", err, c.err)
			}
			want := `orgd_store_operation_duration_seconds_count{operation="company.get",outcome="` + c.outcome + `"} 1`
			if !strings.Contains(scrape(t, m), want) {
				t.Errorf("metrics lack %s", want)
			}
		})
	}
}
