package memlimit

import (
	"strings"
	"time"

	"orgd/domain/limit"
)

// group is what one address or subject has used. A group has a few dozen
// members at most, so a search through a slice is the fastest map.
type group struct {
	histories []*history
	slots     []*slot
	held      int           // slots in use, which keep the group alive
	idleAt    time.Duration // when the last request leaves its last window
}

// slot is how many requests of one operation run.
type slot struct {
	name, key string
	held      int
}

func (g *group) idle(now time.Duration) bool { return g.held == 0 && now >= g.idleAt }

func (g *group) history(w limit.Window) *history {
	for _, h := range g.histories {
		if h.name == w.Name && h.key == w.Key {
			return h
		}
	}
	h := &history{name: w.Name, key: strings.Clone(w.Key)}
	g.histories = append(g.histories, h)
	return h
}

func (g *group) slot(s limit.Slot) *slot {
	for _, held := range g.slots {
		if held.name == s.Name && held.key == s.Key {
			return held
		}
	}
	held := &slot{name: s.Name, key: strings.Clone(s.Key)}
	g.slots = append(g.slots, held)
	return held
}

// examine appends the history of each window to histories, in order, brought up
// to date, and returns the longest denial; nil if everybody has room.
func (g *group) examine(histories []*history, now time.Duration, windows []limit.Window, s *limit.Slot) ([]*history, *limit.Denial) {
	var denied *limit.Denial
	for _, w := range windows {
		h := g.history(w)
		h.expire(now, w.Length)
		histories = append(histories, h)
		if wait := h.wait(now, w); wait > 0 {
			denied = longer(denied, w.Deny(wait))
		}
	}
	if s != nil && s.Cap > 0 && g.slot(*s).held >= s.Cap {
		denied = longer(denied, s.Deny())
	}
	return histories, denied
}

// count adds the request to the windows that are on.
func (g *group) count(now time.Duration, windows []limit.Window, histories []*history) {
	for i, w := range windows {
		if w.Cap > 0 {
			g.idleAt = max(g.idleAt, histories[i].add(now, w)+w.Length)
		}
	}
}

// appendUsages reports the windows that are on.
func appendUsages(usages []limit.Usage, now time.Duration, windows []limit.Window, histories []*history) []limit.Usage {
	for i, w := range windows {
		if w.Cap > 0 {
			usages = append(usages, histories[i].usage(now, w))
		}
	}
	return usages
}
