package activity

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// ErrEntry is a batch with at least one entry that is wrong by itself. The
// message of an occurrence names every bad entry as "events[i]".
var ErrEntry = fault.New(fault.RequestValidation, "an entry of the batch is not valid")

// MaxAhead is how far the time of an entry may lie in the future, because
// clients' clocks differ.
const MaxAhead = 5 * time.Minute

// ParseBatch reads {"events": [...]} with 1 to [MaxBatch] entries. It reports
// all problems at once: the first ones in words, and every bad entry by name.
// The time of an entry may be at most [MaxAhead] after now, and at most retention
// before it: such an event would be deleted at once. A retention of 0 keeps
// everything.
func ParseBatch(v jsondoc.Value, now time.Time, retention time.Duration) ([]Entry, error) {
	var entries []Entry
	read := func(r *jsondoc.Reader, e *Entry) {
		readEntry(r, e)
		if problem := e.checkTime(now, retention); problem != "" {
			r.Fail("timestamp", "%s", problem)
		}
	}
	err := jsondoc.Read(v, func(r *jsondoc.Reader) {
		jsondoc.List(r, "events", &entries, MaxBatch, read)
		if list, ok := r.Raw("events"); !ok || list.Kind() == jsondoc.KindArray && list.Len() == 0 {
			r.Fail("events", "must have 1 to %d entries", MaxBatch)
		}
	})
	if err != nil {
		return nil, nameAll(v, err, read)
	}
	return entries, nil
}

// nameAll completes err, which has a limited number of mistakes, with the first one
// of each bad entry that it does not mention.
func nameAll(v jsondoc.Value, err error, read func(*jsondoc.Reader, *Entry)) error {
	if v.Kind() != jsondoc.KindObject {
		return err
	}
	list, ok := v.Get("events")
	if !ok || list.Kind() != jsondoc.KindArray || list.Len() > MaxBatch {
		return err
	}
	said := fault.Of(err)
	var unsaid []string
	var more []fault.Mistake
	for i, item := range list.Items() {
		name := fmt.Sprintf("events[%d]", i)
		if slices.ContainsFunc(said.Mistakes(), func(m fault.Mistake) bool { return strings.HasPrefix(m.Path, name) }) {
			continue
		}
		if err := jsondoc.ReadWholeAt(name, item, func(r *jsondoc.Reader) { read(r, new(Entry)) }); err != nil {
			unsaid = append(unsaid, name)
			more = append(more, fault.Of(err).Mistakes()[0])
		}
	}
	if len(unsaid) == 0 {
		return err
	}
	named := said.Mistakes()
	named = named[:len(named)-1] // the last one says that there are more
	return ErrEntry.With("%s; also not valid: %s", said.Msg, strings.Join(unsaid, ", ")).WithMistakes(slices.Concat(named, more))
}

func (e Entry) checkTime(now time.Time, retention time.Duration) string {
	switch {
	case e.At.IsZero():
		return ""
	case e.At.After(now.Add(MaxAhead)):
		return fmt.Sprintf("must not be more than %d minutes ahead", MaxAhead/time.Minute)
	case retention > 0 && e.At.Before(now.Add(-retention)):
		return fmt.Sprintf("must not be before %s, older events are not kept",
			now.Add(-retention).UTC().Format(time.RFC3339))
	}
	return ""
}
