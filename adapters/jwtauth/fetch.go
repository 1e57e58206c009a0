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

// httpGetter returns a getter over HTTP, bounded in size. It follows no
// redirects: they could lead away from TLS, and issuers need none.
func httpGetter() getter {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // one request in minutes
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
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
		return nil, fmt.Errorf("%s answered %d", url, res.StatusCode)
	}
	text, err = io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		err = fmt.Errorf("%s is longer than %d bytes", url, maxDocument)
	}
	return text, err
}

// discover returns where an issuer says that its keys are.
func discover(ctx context.Context, get getter, o OIDC) (string, error) {
	text, err := get(ctx, strings.TrimSuffix(o.Issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return "", err
	}
	var doc struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return "", fmt.Errorf("the discovery document is not JSON: %w", err)
	}
	if doc.Issuer != o.Issuer {
		return "", fmt.Errorf("the discovery document is of the issuer %q", doc.Issuer)
	}
	return doc.JWKSURI, checkDiscovered(o, doc.JWKSURI)
}

// checkDiscovered refuses a place that the operator could not have configured,
// or that leaves the TLS of the issuer.
func checkDiscovered(o OIDC, uri string) error {
	if err := o.checkURL(uri); err != nil {
		return fmt.Errorf("jwks_uri: %w", err)
	}
	if strings.HasPrefix(o.Issuer, "https:") && !strings.HasPrefix(strings.ToLower(uri), "https:") {
		return fmt.Errorf("jwks_uri: %q does not use https", uri)
	}
	return nil
}
