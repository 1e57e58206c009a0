package remote

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"orgd/cmd/orgd/internal/terminal"
)

// SignInURL is where a browser begins to sign in with the identity provider of the service.
func (c Connection) SignInURL(query url.Values) string {
	return strings.TrimRight(c.Server, "/") + "/api/v1/auth/oidc/start?" + query.Encode()
}

// HasProvider reports whether people sign in to the service with an identity provider.
func (c Connection) HasProvider(ctx context.Context, t *terminal.Terminal) (bool, error) {
	if err := c.reach(ctx, t); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.SignInURL(nil), nil)
	if err != nil {
		return false, err
	}
	res, err := http.DefaultTransport.RoundTrip(req) // which follows no redirects
	if err != nil {
		return false, c.Unreachable(err)
	}
	if err := res.Body.Close(); err != nil {
		return false, c.Unreachable(err)
	}
	switch res.StatusCode {
	case http.StatusSeeOther:
		return true, nil
	case http.StatusNotFound:
		return false, nil
	}
	return false, fmt.Errorf("nobody can sign in to %s with a browser at the moment, it answers %q: try again in a minute, or use a token (--with-token)", c.Server, res.Status)
}
