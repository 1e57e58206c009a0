package session

import (
	"strings"
	"time"

	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/name"
)

// The lifetime of an own token.
const (
	DefaultTTL = 12 * time.Hour
	MinTTL     = time.Second
	MaxTTL     = 30 * 24 * time.Hour
)

// MaxDepartments bounds the departments of one session.
const MaxDepartments = 256

var (
	// ErrTTL is a lifetime out of bounds.
	ErrTTL = fault.New(fault.RequestValidation, "ttl_seconds: must be a whole number of seconds, 1 to 2592000")
	// ErrDepartments is a list of departments that is too long.
	ErrDepartments = fault.New(fault.RequestValidation, "departments: must not be more than 256")
	// ErrAgentSubject is a token of role agent for somebody who is none.
	ErrAgentSubject = fault.New(fault.Validation, "a token of role agent needs the id of an agent as its subject")
)

// Grant is what a new session of this service is to be.
type Grant struct {
	ID          string // the sid, new
	Issuer      string // the name of this service in its tokens
	Subject     string // see [ParseOwnSubject]; the agent's id for role agent
	Role        access.Role
	Departments []name.Name
	Label       string        // see [ParseLabel]; may be ""
	At          time.Time     // now
	TTL         time.Duration // whole seconds, [MinTTL] to [MaxTTL]
}

// Issue returns the session that g describes. It returns [ErrID], [ErrSubject],
// [ErrOwnSubject], [access.ErrRole], [ErrDepartments], [ErrAgentSubject], [ErrLabel]
// or [ErrTTL]. Whether the agent exists is for the caller to find out.
func Issue(g Grant) (Session, error) {
	if err := g.check(); err != nil {
		return Session{}, err
	}
	s := Session{
		ID: g.ID, Issuer: g.Issuer, Subject: g.Subject,
		Role: g.Role, Departments: g.Departments, Kind: ByToken, Label: g.Label,
	}
	if g.Role == access.Agent {
		s.Subject = strings.ToLower(g.Subject) // as ids are written
		s.Agent = s.Subject
	}
	s.IssuedAt, s.ExpiresAt = lifetime(g.At, g.TTL)
	return s, nil
}

func (g Grant) check() error {
	if _, err := ParseID(g.ID); err != nil {
		return err
	}
	if _, err := ParseOwnSubject(g.Subject); err != nil {
		return err
	}
	if _, err := access.ParseRole(string(g.Role)); err != nil {
		return err
	}
	if len(g.Departments) > MaxDepartments {
		return ErrDepartments
	}
	if g.Role == access.Agent && !name.IsUUID(g.Subject) {
		return ErrAgentSubject
	}
	if g.Label != "" {
		if _, err := ParseLabel(g.Label); err != nil {
			return err
		}
	}
	if !FitsTTL(g.TTL) {
		return ErrTTL
	}
	return nil
}

// FitsTTL reports whether a token can be good for this long: whole seconds, [MinTTL] to [MaxTTL].
func FitsTTL(ttl time.Duration) bool { return fits(ttl, MinTTL, MaxTTL) }

func fits(ttl, least, most time.Duration) bool {
	return ttl >= least && ttl <= most && ttl%time.Second == 0
}

// lifetime returns the times of a token that is issued now. Tokens carry whole
// seconds, so now is rounded up: the token lives exactly ttl by its own account
// and never shorter than was asked for.
func lifetime(now time.Time, ttl time.Duration) (from, until time.Time) {
	from = now.UTC().Truncate(time.Second)
	if from.Before(now) {
		from = from.Add(time.Second)
	}
	return from, from.Add(ttl)
}

// Renew returns the session continued from now on, with the lifetime that its
// last token had, and until EndsBy at most. The id stays, so that revoking it also
// refuses the tokens from before and after. It returns [ErrNotRenewable] for a session
// of an external issuer.
func (s Session) Renew(now time.Time) (Session, error) {
	if !s.Own() {
		return Session{}, ErrNotRenewable
	}
	ttl := s.ExpiresAt.Sub(s.IssuedAt)
	if !FitsTTL(ttl) {
		return Session{}, ErrTTL
	}
	s.IssuedAt, s.ExpiresAt = lifetime(now, ttl)
	if !s.EndsBy.IsZero() && s.EndsBy.Before(s.ExpiresAt) {
		s.ExpiresAt = s.EndsBy
	}
	return s, nil
}

// RenewalDue reports whether half of the time of the token is over, and a new one would
// be good for longer.
func (s Session) RenewalDue(now time.Time) bool {
	half := s.IssuedAt.Add(s.ExpiresAt.Sub(s.IssuedAt) / 2)
	return s.Own() && !now.Before(half) && !s.EndsBy.Equal(s.ExpiresAt)
}
