package app

import (
	"context"
	"crypto/sha256"
	"slices"

	"orgd/domain/session"
)

// maxLinks bounds the sign-in links that are kept; of more the oldest goes.
const maxLinks = 1000

// pendingLink is a sign-in link that nobody has used, under the hash of its code.
type pendingLink struct {
	hash [sha256.Size]byte
	link session.Link
}

// Link makes a sign-in link for another session like mine and returns its code,
// of which only a hash is kept. It is good in this process only.
func (s *Sessions) Link(mine session.Session) (session.Code, session.Link, error) {
	made, err := mine.Link(s.kit.Clock.Now())
	if err != nil {
		return "", session.Link{}, err
	}
	code := session.NewCode(s.random.Key())
	s.keep(pendingLink{code.Hash(), made})
	return code, made, nil
}

func (s *Sessions) keep(l pendingLink) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	token, made, err := s.hand(ctx, o, made)
	if err != nil {
		s.keep(l) // nobody is signed in: it can be tried again
	}
	return token, made, err
}
