package app

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"orgd/domain/session"
)

// maxLinks is how many sign-in links are kept; of more the oldest goes.
const maxLinks = 1000

// pendingLink is a sign-in link that nobody has used, under the hash of its code.
type pendingLink struct {
	hash [sha256.Size]byte
	link session.Link
}

// Link makes a sign-in link for another session like mine and returns its code,
// of which only a hash is kept. It is good in this process only.
func (s *Sessions) Link(mine session.Session) (session.Code, session.Link, error) {
	now := s.kit.Clock.Now()
	made, err := mine.Link(now)
	if err != nil {
		return "", session.Link{}, err
	}
	code := session.NewCode(s.random.Key())
	s.keep(pendingLink{code.Hash(), made}, now)
	return code, made, nil
}

// keep adds a link. Those that have expired go, and the oldest of too many.
func (s *Sessions) keep(l pendingLink, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links = slices.DeleteFunc(s.links, func(o pendingLink) bool { return !now.Before(o.link.ExpiresAt) })
	if len(s.links) == maxLinks {
		s.links = slices.Delete(s.links, 0, 1)
	}
	s.links = append(s.links, l)
}

// take removes a link, so that nobody else gets it.
func (s *Sessions) take(code session.Code) (session.Link, bool) {
	hash := code.Hash()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.links, func(l pendingLink) bool { return l.hash == hash })
	if i < 0 {
		return session.Link{}, false
	}
	l := s.links[i].link
	s.links = slices.Delete(s.links, i, i+1)
	return l, true
}

// SignIn trades the code of a link for a token of a new session, once. It returns
// session.ErrLink for a code that is unknown, used or too old, and for one whose
// maker's session was ended.
func (s *Sessions) SignIn(ctx context.Context, c Call, code session.Code) (string, session.Session, error) {
	l, ok := s.take(code)
	if !ok || s.isRevoked(l.Maker.ID) {
		return "", session.Session{}, session.ErrLink
	}
	o := s.kit.occasion(c)
	made, err := l.SignIn(s.kit.IDs.NewID(), o.at)
	if err != nil {
		return "", session.Session{}, err
	}
	o.call.Actor = made.Actor()
	return s.hand(ctx, o, made)
}
