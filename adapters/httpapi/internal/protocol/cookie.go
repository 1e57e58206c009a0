package protocol

import (
	"net"
	"net/http"
	"strings"
	"time"

	"orgd/domain/session"
)

const (
	// sessionCookie and attemptCookie are the names of the cookies with the session of a
	// browser and with a sign-in that it has begun, before the port: browsers give the cookies
	// of one port to all services on a machine.
	sessionCookie = "orgd-session"
	attemptCookie = "orgd-sign-in"
	// hostPrefix makes browsers refuse the cookie from other hosts, and without TLS
	// (RFC 6265bis, section 4.1.3.2).
	hostPrefix = "__Host-"
	// maxCookie bounds a token in a cookie, in bytes: browsers keep 4096 with the name.
	maxCookie = 4000
)

// Session returns the cookie with the session of a browser, or nil if there is none. What
// came without TLS does not count on a connection that is known to have it. secure says that
// browsers reach the service over TLS, whatever the request says.
func Session(r *http.Request, secure bool) *http.Cookie {
	return find(r, sessionCookie, secure || overTLS(r))
}

// SetNewSession puts a session into the browser that a request comes from; see [Session]. It returns
// session.ErrTooLarge for a token that does not fit into a cookie.
func SetNewSession(h http.Header, r *http.Request, token string, lifetime time.Duration, secure bool) error {
	if len(token) > maxCookie {
		return session.ErrTooLarge.With("departments: make a token of %d bytes, and a cookie may have at most %d", len(token), maxCookie)
	}
	SetSession(h, cookieName(r, sessionCookie, secure || overTLS(r)), token, lifetime)
	return nil
}

// SetSession replaces the session in the cookie with this name. An empty token removes it.
func SetSession(h http.Header, name, token string, lifetime time.Duration) {
	set(h, name, token, lifetime, http.SameSiteStrictMode)
}

// Attempt returns what [SetAttempt] has put into a browser, "" if there is nothing. secure
// says that browsers reach the service over TLS.
func Attempt(r *http.Request, secure bool) string {
	if c := find(r, attemptCookie, secure); c != nil {
		return c.Value
	}
	return ""
}

// SetAttempt puts a sign-in that has begun into a browser, for as long as it may take. The
// browser sends it when another site leads back to this one. An empty value removes it.
func SetAttempt(h http.Header, r *http.Request, value string, secure bool) {
	set(h, cookieName(r, attemptCookie, secure), value, session.AttemptTTL, http.SameSiteLaxMode)
}

func find(r *http.Request, base string, secure bool) *http.Cookie {
	if c, err := r.Cookie(cookieName(r, base, true)); err == nil {
		return c
	}
	if c, err := r.Cookie(cookieName(r, base, false)); err == nil && !secure {
		return c
	}
	return nil
}

func set(h http.Header, name, value string, lifetime time.Duration, site http.SameSite) {
	c := http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(Seconds(lifetime)),
		HttpOnly: true, SameSite: site, Secure: strings.HasPrefix(name, hostPrefix),
	}
	if value == "" {
		c.MaxAge = -1
	}
	h.Add("Set-Cookie", c.String())
	h.Set("Cache-Control", "no-store")
}

func cookieName(r *http.Request, base string, secure bool) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		base += "-" + port
	}
	if secure {
		return hostPrefix + base
	}
	return base
}

// overTLS reports whether the browser uses TLS, as far as the request says. Nobody has to be
// trusted for it: who says so without truth gets a cookie that does not work.
func overTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" || strings.HasPrefix(r.Header.Get("Origin"), "https://")
}
