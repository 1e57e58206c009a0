package jwtauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxDocument bounds what an issuer answers, in bytes.
const maxDocument = 1 << 20

// getter reads a document of an issuer.
type getter func(ctx context.Context, url string) ([]byte, error)

// newClient returns a client for an issuer. It follows no redirects: they could lead away
// from TLS, and issuers need none.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // one request in minutes
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// httpGetter returns a getter over HTTP, bounded in size.
func httpGetter() getter {
	client := newClient()
	return func(ctx context.Context, url string) ([]byte, error) { return get(ctx, client, url) }
}

func get(ctx context.Context, client *http.Client, url string) (text []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	if res.StatusCode != http.StatusOK {
		err := fmt.Errorf("%s answered %d", url, res.StatusCode)
		if res.StatusCode < http.StatusInternalServerError {
			err = misconfigured{err}
		}
		return nil, err
	}
	text, err = io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		err = fmt.Errorf("%s is longer than %d bytes", url, maxDocument)
	}
	return text, err
}

// found is what an issuer says of itself (OpenID Connect Discovery 1.0, RFC 8414).
type found struct {
	Issuer   string `json:"issuer"`
	JWKSURI  string `json:"jwks_uri"`
	AuthURL  string `json:"authorization_endpoint"`
	TokenURL string `json:"token_endpoint"`
	// EndURL is "" if nobody can sign out there.
	EndURL string `json:"end_session_endpoint"`
	// TokenAuth are the ways to authenticate at TokenURL; none means client_secret_basic.
	TokenAuth []string `json:"token_endpoint_auth_methods_supported"`
	// Claims are some of the claims of its tokens.
	Claims []string `json:"claims_supported"`
	// NamesItself says that each answer has the issuer (RFC 9207).
	NamesItself bool `json:"authorization_response_iss_parameter_supported"`
}

// misconfigured is an answer that will be the same in a minute: the issuer is not the one that
// was configured.
type misconfigured struct{ error }

// discover returns what an issuer says of itself.
func discover(ctx context.Context, get getter, o OIDC) (found, error) {
	text, err := get(ctx, strings.TrimSuffix(o.Issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return found{}, err
	}
	var f found
	if err := json.Unmarshal(text, &f); err != nil {
		return found{}, misconfigured{fmt.Errorf("the discovery document is not JSON: %w", err)}
	}
	if err := f.check(o); err != nil {
		return found{}, misconfigured{err}
	}
	return f, nil
}

// check refuses places that the operator could not have configured, or that leave the TLS of
// the issuer.
func (f found) check(o OIDC) error {
	if f.Issuer != o.Issuer {
		return fmt.Errorf("the discovery document is of the issuer %q", f.Issuer)
	}
	err := o.checkPlace("jwks_uri", f.JWKSURI)
	if o.ClientID != "" {
		err = errors.Join(err, o.checkPlace("authorization_endpoint", f.AuthURL), o.checkPlace("token_endpoint", f.TokenURL))
		if f.EndURL != "" {
			err = errors.Join(err, o.checkPlace("end_session_endpoint", f.EndURL))
		}
	}
	return err
}

// checkPlace does so for one of them, which may have a query (RFC 6749, section 3.1).
func (o OIDC) checkPlace(name, url string) error {
	path, _, _ := strings.Cut(url, "?")
	if err := o.checkURL(path); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if strings.HasPrefix(o.Issuer, "https:") && !strings.HasPrefix(strings.ToLower(url), "https:") {
		return fmt.Errorf("%s: %q does not use https", name, url)
	}
	return nil
}
