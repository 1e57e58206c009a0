package protocol

import (
	"net"
	"net/http"
	"strings"
	"time"

	"orgd/domain/session"
)

const (
	// sessionCookie is the name of the cookie with the session of a browser, before the port:
	// browsers give the cookies of one port to all services on a machine.
	sessionCookie = "orgd-session"
	// hostPrefix makes browsers refuse the cookie from other hosts, and without TLS
	// (RFC 6265bis, section 4.1.3.2).
	hostPrefix = "__Host-"
	// maxCookie bounds a token in a cookie, in bytes: browsers keep 4096 with the name.
	maxCookie = 4000
)

// Session returns the cookie with the session of a browser, or nil if there is none. What
// came without TLS does not count on a connection that is known to have it.
func Session(r *http.Request) *http.Cookie {
	name := cookieName(r)
	if c, err := r.Cookie(hostPrefix + name); err == nil {
		return c
	}
	if c, err := r.Cookie(name); err == nil && !overTLS(r) {
		return c
	}
	return nil
}

// SetNewSession puts a session into the browser that a request comes from. It returns
// session.ErrTooLarge for a token that does not fit into a cookie.
func SetNewSession(h http.Header, r *http.Request, token string, lifetime time.Duration) error {
	if len(token) > maxCookie {
		return session.ErrTooLarge.With("departments: make a token of %d bytes, and a cookie may have at most %d", len(token), maxCookie)
	}
	name := cookieName(r)
	if overTLS(r) {
		name = hostPrefix + name
	}
	SetSession(h, name, token, lifetime)
	return nil
}

// SetSession replaces the session in the cookie with this name. An empty token removes it.
func SetSession(h http.Header, name, token string, lifetime time.Duration) {
	c := http.Cookie{
		Name: name, Value: token, Path: "/", MaxAge: int(Seconds(lifetime)),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(name, hostPrefix),
	}
	if token == "" {
		c.MaxAge = -1
	}
	h.Add("Set-Cookie", c.String())
	h.Set("Cache-Control", "no-store")
}

func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return sessionCookie + "-" + port
	}
	return sessionCookie
}

// overTLS reports whether the browser uses TLS, as far as the request says. Nobody has to be
// trusted for it: who says so without truth gets a cookie that does not work.
func overTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" || strings.HasPrefix(r.Header.Get("Origin"), "https://")
}
