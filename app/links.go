package app

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"orgd/domain/session"
)

// How many sign-in links are kept, of one subject and of all. For one more of a subject
// the oldest of his own is removed, so that nobody removes those of others; for one more of
// all the oldest.
const (
	maxOwnLinks = 8
	maxLinks    = 1000
)

// links are the sign-in links of this process that nobody has used.
type links struct {
	mu   sync.Mutex
	list []pendingLink // the oldest first
}

// pendingLink is a link under the hash of its code.
type pendingLink struct {
	hash [sha256.Size]byte
	link session.Link
}

// add keeps a link and removes those that have expired, or are too many.
func (l *links) add(p pendingLink, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(p pendingLink) bool { return !now.Before(p.link.ExpiresAt) })
	oldest, own := 0, 0 // oldest is his, if he has any
	for i := len(l.list) - 1; i >= 0; i-- {
		if l.list[i].link.Maker.Subject == p.link.Maker.Subject {
			oldest, own = i, own+1
		}
	}
	if own == maxOwnLinks || len(l.list) == maxLinks {
		l.list = slices.Delete(l.list, oldest, oldest+1)
	}
	l.list = append(l.list, p)
}

// take removes a link and returns it, so that it is used once.
func (l *links) take(code session.Code) (session.Link, bool) {
	hash := code.Hash()
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.list, func(p pendingLink) bool { return p.hash == hash })
	if i < 0 {
		return session.Link{}, false
	}
	found := l.list[i].link
	l.list = slices.Delete(l.list, i, i+1)
	return found, true
}
