package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"orgd"
)

// serverFlag names the running service.
type serverFlag struct {
	Server string `placeholder:"URL" help:"The running service (default ${server}; $$ORGD_SERVER)."`
}

const defaultServer = "http://127.0.0.1:8080"

// remoteTimeout bounds one request, and maxAnswer its answer in bytes.
const (
	remoteTimeout = 30 * time.Second
	maxAnswer     = 8 << 20
)

// remote is the running service as its clients see it.
type remote struct {
	base, token string
	client      *http.Client
}

// connect finds out where the service is and who asks. It does not ask yet.
func (f serverFlag) connect(p *process) (*remote, error) {
	name, server := "--server", f.Server
	if server == "" {
		name, server = "ORGD_SERVER", p.getenv("ORGD_SERVER")
	}
	if server == "" {
		server = defaultServer
	}
	var errs []error
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		errs = append(errs, fmt.Errorf("%s: %q must be a URL such as %s", name, server, defaultServer))
	}
	token, err := orgd.ReadSecret(p.getenv, "ORGD_TOKEN")
	if err == nil && token == "" {
		err = errors.New("ORGD_TOKEN: is required; orgd token create makes a token")
	}
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, usageError{err}
	}
	return &remote{strings.TrimRight(server, "/") + "/api/v1", strings.TrimSpace(token), &http.Client{Timeout: remoteTimeout}}, nil
}

// answer is what every answer of the service has.
type answer struct {
	Data       json.RawMessage `json:"data"`
	Error      string          `json:"error"`
	Pagination struct {
		NextCursor string `json:"next_cursor"`
	} `json:"pagination"`
}

// do sends one request. An answer that is no success is an error in the
// service's own words.
func (r *remote) do(ctx context.Context, method, path string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	res, err := r.client.Do(req)
	if err != nil {
		return answer{}, err // names method and URL
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return answer{}, fmt.Errorf("%s %s%s: %w", method, r.base, path, err)
	}
	var a answer
	if len(body) > 0 {
		err = json.Unmarshal(body, &a)
	}
	if res.StatusCode/100 != 2 || err != nil {
		return a, fmt.Errorf("%s %s%s answered %s: %s", method, r.base, path, res.Status, a.reason())
	}
	return a, nil
}

func (a answer) reason() string {
	if a.Error == "" {
		return "this is not how orgd answers"
	}
	return a.Error
}

// sessions calls show for every session that the caller may see.
func (r *remote) sessions(ctx context.Context, show func(sessionRow)) error {
	for cursor := ""; ; {
		q := url.Values{"limit": {"100"}}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		a, err := r.do(ctx, http.MethodGet, "/auth/sessions?"+q.Encode())
		if err != nil {
			return err
		}
		var rows []sessionRow
		if err := json.Unmarshal(a.Data, &rows); err != nil {
			return fmt.Errorf("read the list of sessions: %w", err)
		}
		for _, row := range rows {
			show(row)
		}
		if cursor = a.Pagination.NextCursor; cursor == "" {
			return nil
		}
	}
}

func (r *remote) revoke(ctx context.Context, sid string) error {
	_, err := r.do(ctx, http.MethodDelete, "/auth/sessions/"+url.PathEscape(sid))
	return err
}
