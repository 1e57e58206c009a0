package redislimit

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"orgd/domain/limit"
)

const (
	// exact is the largest cap of a window whose requests are counted one by
	// one, to the microsecond. The memory of a larger window is bounded by
	// counting in as many steps.
	exact = 200
	// replyHeader is how many numbers of a reply come before those of the windows.
	replyHeader = 3
)

// group is what is decided in one atomic step: the windows of an address, or the
// windows and the slot of a subject.
type group struct {
	kind, key string
	windows   []limit.Window // those that are on
	slot      *limit.Slot    // nil without
	lease     *lease         // of the slot, if the request is admitted
	call      call
}

// groups returns those of the ask that have anything to decide.
func groups(ask limit.Ask) []group {
	all := []group{
		{kind: ofAddress, key: ask.Address, windows: switchedOn(ask.AddressWindows)},
		{kind: ofSubject, key: ask.Subject, windows: switchedOn(ask.SubjectWindows)},
	}
	if ask.Slot != nil && ask.Slot.Cap > 0 {
		all[1].slot = ask.Slot
	}
	return slices.DeleteFunc(all, func(g group) bool { return g.members() == 0 })
}

// switchedOn leaves the windows as they are if all of them are on.
func switchedOn(ws []limit.Window) []limit.Window {
	off := func(w limit.Window) bool { return w.Cap <= 0 }
	if !slices.ContainsFunc(ws, off) {
		return ws
	}
	return slices.DeleteFunc(slices.Clone(ws), off)
}

// prepare makes the call that decides about the group.
func (l *Limiter) prepare(g *group) {
	tag := tag(l.cfg.Prefix, g.kind, g.key)
	g.call = l.admit.call(g.members(), 6+4*len(g.windows))
	for _, w := range g.windows {
		g.call.add(memberKey(tag, aWindow, w.Name, g.key, w.Key))
	}
	if g.slot != nil {
		g.lease = l.leases.fresh(memberKey(tag, aSlot, g.slot.Name, g.key, g.slot.Key))
		g.call.add(g.lease.key)
	}
	g.call.add(len(g.windows))
	for _, w := range g.windows {
		length, step := period(w)
		g.call.add(w.Cap, length, step, (length+step)/1000+2)
	}
	if g.slot != nil {
		g.call.add(g.slot.Cap, l.timing.lease.Microseconds(), maxLease.Microseconds(), maxLease.Milliseconds(), g.lease.id)
	}
}

// members is how many keys the group has.
func (g *group) members() int {
	if g.slot == nil {
		return len(g.windows)
	}
	return len(g.windows) + 1
}

// period returns the length of a window and how finely it is divided, both in
// microseconds. A request counts for up to a step too long, never too short.
func period(w limit.Window) (length, step int64) {
	length = max(1, int64((w.Length+time.Microsecond-1)/time.Microsecond))
	if w.Cap <= exact {
		return length, 1
	}
	return length, (length + exact - 1) / exact
}

// read adds the decision to the grant.
func (g *group) read(grant *limit.Grant) error {
	reply, err := g.call.reply.Result()
	if err != nil {
		return err
	}
	if len(reply) < replyHeader+2*len(g.windows) {
		return fmt.Errorf("redislimit: a reply has %d numbers for %d windows", len(reply), len(g.windows))
	}
	refused, full := reply[1] == 0, reply[2] == 1
	for i, w := range g.windows {
		used, reset := reply[replyHeader+2*i], time.Duration(reply[replyHeader+2*i+1])*time.Microsecond
		u := limit.Usage{Window: w, Remaining: int(max(0, int64(w.Cap)-used)), Reset: reset}
		grant.Usages = append(grant.Usages, u)
		if refused && u.Remaining == 0 {
			grant.Denied = longer(grant.Denied, w.Deny(reset))
		}
	}
	if full {
		grant.Denied = longer(grant.Denied, g.slot.Deny())
	}
	return nil
}

// admitted reports whether the decision, which is known, is to admit the request.
func (g *group) admitted() bool { return g.call.reply.Val()[1] == 1 }

// longer returns the denial with the longer wait, a if they are equal.
func longer(a, b *limit.Denial) *limit.Denial {
	if a == nil || b.RetryAfter > a.RetryAfter {
		return b
	}
	return a
}

// The kinds of groups and of keys in a group.
const (
	ofAddress = "a"
	ofSubject = "s"
	aWindow   = "w"
	aSlot     = "s"
)

// tag is the part that all keys of a group begin with. What stands in braces
// decides about the place in a cluster, so a group lies on one node. Whatever
// clients can choose is hashed: it may be long, or hold braces.
func tag(prefix, kind, key string) string {
	return prefix + ":{" + kind + digest(key) + "}:"
}

// memberKey is the key of a window or a slot. Names come from the program. The
// key of a member is nearly always that of its group and then left out.
func memberKey(tag, kind, name, groupKey, key string) string {
	if key == groupKey {
		return tag + kind + ":" + name
	}
	return tag + kind + digest(key) + ":" + name
}

// digest is 22 characters of text that nobody finds a second key for.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}
