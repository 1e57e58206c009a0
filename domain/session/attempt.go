package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orgd/domain/fault"
)

// AttemptTTL is how long people may take to sign in at the identity provider.
const AttemptTTL = 10 * time.Minute

var (
	// ErrAttempt is an answer of the identity provider to a sign-in that this browser has
	// not begun, or has begun anew since.
	ErrAttempt = fault.New(fault.Unauthorized, "this sign-in was not begun in this browser, or it took more than 10 minutes: sign in again")
	// ErrProviderRefused is a sign-in that the identity provider has refused.
	ErrProviderRefused = fault.New(fault.Unauthorized, "the identity provider has refused this sign-in")
	// ErrNoRole is a person who has signed in at the identity provider, and whose role
	// here the ID token does not say.
	ErrNoRole = fault.New(fault.Forbidden, "this account has no role here")
	// ErrProvider is an identity provider that cannot be used.
	ErrProvider = fault.New(fault.Unavailable, "the identity provider cannot be used at the moment")
	// ErrNoProvider is a service that has no identity provider to sign in with.
	ErrNoProvider = fault.New(fault.RouteNotFound, "this service has no identity provider to sign in with; see --oidc-client-id")
	// ErrLoopback is a program that asks for a sign-in and says wrongly where it listens.
	ErrLoopback = fault.New(fault.RequestValidation, "port, state and challenge are not those of a program that waits for a sign-in")
)

// Attempt is a sign-in at the identity provider that a browser has begun. The browser keeps
// it, and nothing else does. What the provider sees is derived from its secret.
type Attempt struct {
	secret string    // base64url of 32 random bytes
	To     *Loopback // the program on the machine of the browser that signs in; nil: the browser
}

// Loopback is where a program waits for the end of a sign-in (RFC 8252, section 7.3).
type Loopback struct {
	Port      int    // on 127.0.0.1
	State     string // comes back to the program
	Challenge string // see [Challenge]: only the program can use the code
}

// NewAttempt makes an attempt of random bytes.
func NewAttempt(random [32]byte, to *Loopback) Attempt {
	return Attempt{secret: base64.RawURLEncoding.EncodeToString(random[:]), To: to}
}

// ParseAttempt reads what [Attempt.String] has written, or returns [ErrAttempt].
func ParseAttempt(s string) (Attempt, error) {
	parts := strings.Split(s, ".")
	if !isHash(parts[0]) || len(parts) != 1 && len(parts) != 4 {
		return Attempt{}, ErrAttempt
	}
	a := Attempt{secret: parts[0]}
	if len(parts) == 1 {
		return a, nil
	}
	to, err := ParseLoopback(parts[1], parts[2], parts[3])
	if err != nil {
		return Attempt{}, ErrAttempt
	}
	a.To = &to
	return a, nil
}

// ParseLoopback reads where a program waits: a port that needs no privilege, and state and
// challenge of 43 characters of base64url. It returns [ErrLoopback] for anything else.
func ParseLoopback(port, state, challenge string) (Loopback, error) {
	n, err := strconv.Atoi(port)
	if err != nil || n < 1024 || n > 65535 || strconv.Itoa(n) != port || !isHash(state) || !isHash(challenge) {
		return Loopback{}, ErrLoopback
	}
	return Loopback{Port: n, State: state, Challenge: challenge}, nil
}

// isHash reports whether s is base64url of 32 bytes.
func isHash(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == sha256.Size
}

// String writes the attempt for the browser that keeps it. It is a secret.
func (a Attempt) String() string {
	if a.To == nil {
		return a.secret
	}
	return fmt.Sprintf("%s.%d.%s.%s", a.secret, a.To.Port, a.To.State, a.To.Challenge)
}

// State comes back from the provider with its answer.
func (a Attempt) State() string { return a.derive("state") }

// Nonce comes back in the ID token.
func (a Attempt) Nonce() string { return a.derive("nonce") }

// Verifier is the code verifier of PKCE (RFC 7636).
func (a Attempt) Verifier() string { return a.derive("verifier") }

func (a Attempt) derive(use string) string {
	mac := hmac.New(sha256.New, []byte(a.secret))
	mac.Write([]byte(use)) // which never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Check returns [ErrAttempt] unless a state is that of the attempt.
func (a Attempt) Check(state string) error {
	if subtle.ConstantTimeCompare([]byte(state), []byte(a.State())) != 1 {
		return ErrAttempt
	}
	return nil
}

// Redeemer is the verifier that makes the code at the end of the attempt usable by the
// browser.
func (a Attempt) Redeemer() string { return a.derive("redeemer") }

// Challenge is the challenge to which the code at the end of the attempt is bound.
func (a Attempt) Challenge() string {
	if a.To != nil {
		return a.To.Challenge
	}
	return Challenge(a.Redeemer())
}

// Challenge returns the challenge of a verifier: S256 of RFC 7636.
func Challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Welcome returns the link, of this service with the name issuer, for a person who has just
// signed in at the identity provider with the session s. Who uses it has the rights of s for
// [DefaultTTL], however long the token of s is good; called is the label of his session.
func (s Session) Welcome(issuer, called string, now time.Time) Link {
	as := s
	as.Issuer, as.Label = issuer, ""
	if label, err := ParseLabel(called); err == nil {
		as.Label = label
	}
	as.ExpiresAt = now.Add(DefaultTTL).Truncate(time.Second)
	return Link{As: as, By: s.ID, Maker: s.Subject, ExpiresAt: now.Add(LinkTTL)}
}

// IsOf reports whether s is the session of a person whom this issuer has named.
func (s Session) IsOf(issuer string) bool {
	return strings.HasPrefix(s.Subject, issuer+separator)
}
