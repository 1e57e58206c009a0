package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// pushTimeout is how long a Pushgateway may take.
const pushTimeout = 30 * time.Second

// PushPlan puts how many entries a plan would change, and when that was found, to a
// Pushgateway, as job orgd_plan unless the address names one. A name and a password may
// stand in the address.
func PushPlan(ctx context.Context, gateway string, changes int, at time.Time) error {
	u, err := url.Parse(gateway)
	if err != nil || u.Host == "" {
		return errors.New("push metrics: the address is not a URL with a host")
	}
	if !strings.Contains(u.Path, "/metrics/job/") {
		u = u.JoinPath("metrics", "job", "orgd_plan")
	}
	text := fmt.Sprintf("# TYPE orgd_plan_changes gauge\norgd_plan_changes %d\n"+
		"# TYPE orgd_plan_last_run_timestamp_seconds gauge\norgd_plan_last_run_timestamp_seconds %d\n", changes, at.Unix())
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, u.String(), strings.NewReader(text))
	if err != nil {
		return fmt.Errorf("push metrics: %w", err)
	}
	r.Header.Set("Content-Type", "text/plain; version=0.0.4")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("push metrics: %w", err) // which hides the password
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("push metrics to %s: %s", u.Redacted(), answer.Status)
	}
	return nil
}
