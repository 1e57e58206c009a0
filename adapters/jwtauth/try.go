package jwtauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"orgd/adapters/settings"
	"orgd/domain/session"
)

// tryTimeout bounds what is asked of one issuer.
const tryTimeout = 15 * time.Second

// Try asks the external issuers of a valid c what the service will ask them, and reports what
// would keep tokens from being accepted or people from signing in: the issuer, its keys, its
// clock, the redirect address and the secret of the client. publicURL is where browsers reach
// the service. hints say what may be wrong.
func Try(ctx context.Context, c Config, publicURL string) (hints []string, err error) {
	var errs []error
	for _, o := range c.OIDC {
		ctx, cancel := context.WithTimeout(ctx, tryTimeout)
		hint, err := o.try(ctx, publicURL)
		cancel()
		if hint != "" {
			hints = append(hints, hint)
		}
		errs = append(errs, err)
	}
	return hints, errors.Join(errs...)
}

// try is Try for one issuer.
func (o OIDC) try(ctx context.Context, publicURL string) (hint string, err error) {
	client := newClient()
	var off time.Duration // the clock of the issuer, against that of this machine
	get := func(ctx context.Context, url string) ([]byte, error) { return get(ctx, clockOf(client, &off), url) }
	f, err := discover(ctx, get, o)
	if err != nil && (o.JWKSURI == "" || o.ClientID != "") {
		return "", settings.Mistakef("oidc-issuer", "%s cannot be used: %w", o.Issuer, err)
	}
	keys := f.JWKSURI
	if o.JWKSURI != "" {
		keys = o.JWKSURI
	}
	text, err := get(ctx, keys)
	if err == nil {
		_, err = parseKeySet(text)
	}
	if err != nil {
		return "", settings.Mistakef("oidc-issuer", "the keys of %s cannot be read: %w", o.Issuer, err)
	}
	var m settings.Mistakes
	m.Unless(off.Abs() <= o.Leeway+time.Second, "oidc-leeway", "the clock of %s and that of this machine differ by %s, and tokens may be off by %s: set the clock", o.Issuer, off.Round(time.Second), o.Leeway)
	if o.ClientID != "" {
		m = append(m, o.tryRedirect(ctx, client, f, publicURL), o.trySecret(ctx, client, f, publicURL))
	}
	return o.tryClaims(f), m.Err()
}

// clockOf is client, and finds out how far the clock of the server is off.
func clockOf(client *http.Client, off *time.Duration) *http.Client {
	with := *client
	with.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		begun := time.Now()
		res, err := client.Transport.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if at, err := http.ParseTime(res.Header.Get("Date")); err == nil {
			*off = at.Sub(begun.Add(time.Since(begun) / 2)).Truncate(time.Second)
		}
		return res, nil
	})
	return &with
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// tryRedirect asks for the page where people sign in. Issuers refuse that for a client or
// a redirect address that they do not know.
func (o OIDC) tryRedirect(ctx context.Context, client *http.Client, f found, publicURL string) error {
	c := o.client(f, publicURL)
	a := session.NewAttempt([32]byte{}, nil)
	where := c.AuthCodeURL(a.State(), oauth2.SetAuthURLParam("nonce", a.Nonce()), oauth2.S256ChallengeOption(a.Verifier()))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/html")
	res, err := client.Do(req)
	if err != nil {
		return settings.Mistakef("oidc-client-id", "people cannot sign in: %w", err)
	}
	defer res.Body.Close()
	refusal := ""
	if u, err := url.Parse(res.Header.Get("Location")); err == nil {
		refusal = u.Query().Get("error")
	}
	if res.StatusCode < http.StatusBadRequest && refusal == "" {
		return nil
	}
	page, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // it only says more
	said := plainWords(string(page))
	return settings.Mistakef("oidc-client-id", "%s does not let the client %q sign people in (%s %s): is the redirect address %s registered for it? It says: %s",
		o.Issuer, o.ClientID, res.Status, refusal, c.RedirectURL, said)
}

// trySecret shows a code that does not exist. Most issuers look at the client first, and refuse
// that if its secret is wrong.
func (o OIDC) trySecret(ctx context.Context, client *http.Client, f found, publicURL string) error {
	c := o.client(f, publicURL)
	if o.ClientSecretFile != "" {
		var err error
		if c.ClientSecret, err = readClientSecret(o.ClientSecretFile); err != nil {
			return settings.Mistakef("oidc-client-secret-file", "%w", err)
		}
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, client)
	_, err := c.Exchange(ctx, "none", oauth2.VerifierOption(session.NewAttempt([32]byte{}, nil).Verifier()))
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && (refused.ErrorCode == "invalid_client" || refused.ErrorCode == "unauthorized_client") {
		return settings.Mistakef("oidc-client-secret-file", "%s does not accept the client %q with this secret: %s %s", o.Issuer, o.ClientID, refused.ErrorCode, refused.ErrorDescription)
	}
	return nil
}

// tryClaims says that the issuer does not name the claim with the role among its own. Many
// issuers name a few only.
func (o OIDC) tryClaims(f found) string {
	first, _, _ := strings.Cut(o.RoleClaim, ".")
	if len(f.Claims) == 0 || slices.Contains(f.Claims, first) || slices.Contains(f.Claims, o.RoleClaim) {
		return ""
	}
	return fmt.Sprintf("%s does not name the claim %q, which is to hold the role, among those of its tokens. It names %s. If it sends the claim all the same, all is well.",
		o.Issuer, o.RoleClaim, strings.Join(f.Claims, ", "))
}

// plainWords is the text of a page, cut to what fits into an error.
func plainWords(page string) string {
	var out strings.Builder
	inside := false
	for _, r := range page {
		switch {
		case r == '<':
			inside = true
		case r == '>':
			inside = false
			out.WriteByte(' ')
		case !inside:
			out.WriteRune(r)
		}
	}
	words := strings.Join(strings.Fields(out.String()), " ")
	if runes := []rune(words); len(runes) > 200 {
		words = string(runes[:200]) + "…"
	}
	return fmt.Sprintf("%q", words)
}
