package revision

import "time"

// step is the finest step of time that every store keeps.
const step = time.Millisecond

// Time returns the time of the revision that follows one of the time before:
// at, or one step after before if the clock shows no later time. So the times
// of one resource ascend with its revisions, also when several fall into one
// step, commit in another order than they began, or the clock steps back.
func Time(at, before time.Time) time.Time {
	if !at.After(before) {
		return before.Add(step)
	}
	return at
}
