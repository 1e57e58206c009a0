package app

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"orgd/domain/session"
)

// The sign-in links that are kept, of all and of one subject; of more the oldest
// goes.
const maxLinks, maxLinksOfSubject = 1000, 10

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

func (s *Sessions) keep(l pendingLink, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := 0
	for i := len(s.links) - 1; i >= 0; i-- {
		other := s.links[i].link
		if other.Maker.Subject == l.link.Maker.Subject {
			of++
		}
		if !now.Before(other.ExpiresAt) || of == maxLinksOfSubject {
			s.links = slices.Delete(s.links, i, i+1)
			of = min(of, maxLinksOfSubject-1)
		}
	}
	if len(s.links) >= maxLinks {
		s.links = slices.Delete(s.links, 0, 1)
	}
	s.links = append(s.links, l)
}

// take removes a link, so that nobody else gets it.
func (s *Sessions) take(code session.Code) (pendingLink, bool) {
	hash := code.Hash()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.links, func(l pendingLink) bool { return l.hash == hash })
	if i < 0 {
		return pendingLink{}, false
	}
	l := s.links[i]
	s.links = slices.Delete(s.links, i, i+1)
	return l, true
}

// SignIn trades the code of a link for a token of a new session, once. It returns
// session.ErrLink for a code that is unknown, used or too old, and for one whose
// maker's session was ended.
func (s *Sessions) SignIn(ctx context.Context, c Call, code session.Code) (string, session.Session, error) {
	l, ok := s.take(code)
	if !ok || s.isRevoked(l.link.Maker.ID) {
		return "", session.Session{}, session.ErrLink
	}
	o := s.kit.occasion(c)
	made, err := l.link.SignIn(s.kit.IDs.NewID(), o.at)
	if err != nil {
		return "", session.Session{}, err
	}
	o.call.Actor = made.Actor()
	return s.hand(ctx, o, made)
}
