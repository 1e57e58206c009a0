package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	apiPath = "/api/v1"
	// defaultTimeout bounds one attempt of the client's own http.Client. The
	// service itself gives up sooner.
	defaultTimeout = 30 * time.Second
	// defaultMaxAnswer is above what the largest page of a list has.
	defaultMaxAnswer = 64 << 20
	// maxAttempts is what the interface allows.
	maxAttempts = 3
)

// Config says which service to talk to, and how. Only BaseURL is required.
type Config struct {
	// BaseURL is where the service is, such as "https://orgd.example.com": scheme,
	// host and, if the service sits behind one, a path prefix. /api/v1 may follow.
	BaseURL string
	// Token gives the access token of every attempt. Without it only the
	// operations that need none work, unless HTTPClient adds one.
	Token TokenSource
	// HTTPClient sends the requests. Its redirects are not followed unless it has
	// a CheckRedirect of its own. Its Timeout bounds one attempt, except of streams
	// and of the methods for the whole organization.
	// By default it is one with a timeout of 30 seconds that shares
	// http.DefaultTransport.
	HTTPClient *http.Client
	// UserAgent begins the User-Agent header.
	UserAgent string
	// Logger gets one record for each request that failed for good, with the
	// instance by which the service's log knows it: on level Error after the last
	// attempt and for every 5xx, otherwise on level Info. It also gets the
	// attempts that are repeated, on level Debug. By default nothing is logged.
	Logger *slog.Logger
	// MaxAttempts is how often a request is sent at most, from 1 to 3; 0 is 3.
	MaxAttempts int
	// MaxAnswer is how many bytes of an answer are read at most; 0 is 64 MiB. A
	// longer answer is an error. Streams are bounded event by event.
	MaxAnswer int64
}

// TokenSource returns the access token for the next attempt. It may be called
// from several goroutines at once. An error or "" ends the request.
type TokenSource func(ctx context.Context) (string, error)

// StaticToken is a source of always the same token, nil for "".
func StaticToken(token string) TokenSource {
	if token == "" {
		return nil
	}
	return func(context.Context) (string, error) { return token, nil }
}

// FileToken is a source of the token in a file. It is read before every attempt, so it may be
// renewed. The error says that the file is missing or empty now.
func FileToken(name string) (TokenSource, error) {
	source := func(context.Context) (string, error) {
		text, err := os.ReadFile(name)
		token := strings.TrimSpace(string(text))
		if err == nil && token == "" {
			err = fmt.Errorf("%s is empty", name)
		}
		return token, err
	}
	if _, err := source(context.Background()); err != nil {
		return nil, fmt.Errorf("client: token: %w", err)
	}
	return source, nil
}

// Client talks to one service. Make it with [New].
type Client struct {
	base      string // with the path of the API
	token     TokenSource
	ownHTTP   bool // the caller has given an HTTPClient
	http      *http.Client
	untimed   *http.Client // http without its timeout
	userAgent string
	log       *slog.Logger
	attempts  int
	maxAnswer int64
}

// New returns a client. It does not talk to the service yet. The error names
// every mistake in the configuration.
func New(cfg Config) (*Client, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	c := &Client{
		base:      strings.TrimSuffix(strings.TrimRight(cfg.BaseURL, "/"), apiPath) + apiPath,
		token:     cfg.Token,
		ownHTTP:   cfg.HTTPClient != nil,
		userAgent: strings.TrimSpace(cfg.UserAgent + " orgd-client"),
		log:       cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		attempts:  cmp.Or(cfg.MaxAttempts, maxAttempts),
		maxAnswer: cmp.Or(cfg.MaxAnswer, defaultMaxAnswer),
	}
	via := http.Client{Timeout: defaultTimeout}
	if cfg.HTTPClient != nil {
		via = *cfg.HTTPClient
	}
	if via.CheckRedirect == nil {
		// The service redirects nobody, and a redirected change would lose its body.
		via.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	untimed := via
	untimed.Timeout = 0
	c.http, c.untimed = &via, &untimed
	return c, nil
}

func (cfg Config) validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf("client: "+format, args...)) }
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		wrong("BaseURL: %q must be a URL such as https://orgd.example.com", cfg.BaseURL)
	} else if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil {
		wrong("BaseURL: %q must have nothing but scheme, host and path", u.Redacted())
	}
	if cfg.MaxAttempts < 0 || cfg.MaxAttempts > maxAttempts {
		wrong("MaxAttempts: must be at most %d, or 0 for that", maxAttempts)
	}
	if cfg.MaxAnswer < 0 {
		wrong("MaxAnswer: must not be negative")
	}
	if !isHeaderText(cfg.UserAgent) {
		wrong("UserAgent: %s", mustBeHeaderText)
	}
	return errors.Join(errs...)
}

// mustBeHeaderText says what [isHeaderText] is true for.
const mustBeHeaderText = "must be visible ASCII characters and spaces"

// isHeaderText reports whether a header may hold s.
func isHeaderText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
