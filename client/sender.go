package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	maxBatch      = 1000    // events of a request and of a file
	maxBatchBytes = 4 << 20 // of whole files
	maxFileBytes  = 1 << 20
	maxSendPause  = 30 * time.Second
	maxOffset     = time.Minute // of the clock here, before times are corrected
)

// event is a report that was not accepted yet. stamped says that its time is that of the
// clock here, which may be wrong.
type event struct {
	Event   json.RawMessage `json:"event"`
	Stamped bool            `json:"stamped"`
}

// bundle is what one call has reported: a file, or events in memory.
type bundle struct {
	file   string // "" for none
	events []event
	count  int
	size   int
	after  time.Time // when it may be sent again
}

// item is an event of a batch.
type item struct {
	event
	of *bundle
}

// content is what a file has.
type content struct {
	Events []event `json:"events"`
}

// Report takes events to be reported in the background, and returns how many: those that
// find no room are dropped. It waits for the disk and not for the network. What lacks an id
// or a time gets it. What is no event is an error, and nothing is taken then.
func (r *Runtime) Report(events ...Report) (int, error) {
	all := make([]event, len(events))
	for i, e := range events {
		var err error
		if all[i], err = stamp(e); err != nil {
			return 0, fmt.Errorf("client: events[%d]: %w", i, err)
		}
	}
	return r.sender.add(all), nil
}

// stamp gives an event what it lacks.
func stamp(e Report) (event, error) {
	if e.Agent == "" {
		return event{}, errors.New("a report needs Agent")
	}
	stamped := e.Timestamp.IsZero()
	if stamped {
		e.Timestamp = time.Now()
	}
	e.Timestamp = e.Timestamp.UTC().Truncate(time.Millisecond)
	if e.ID == "" {
		e.ID = newUUID()
	}
	text, err := encode(e)
	if err != nil {
		return event{}, err
	}
	fields, err := event{Event: text}.fields()
	if err != nil || fields["data"][0] != '{' || len(fields["event_type"]) <= len(`""`) {
		return event{}, errors.New("a report needs a type, and Data that is an object")
	}
	return event{text, stamped}, nil
}

func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Flush has what is reported sent now, and waits until all is accepted or ctx ends. It
// returns how many events are still pending.
func (r *Runtime) Flush(ctx context.Context) int {
	s := r.sender
	select {
	case <-s.scanned:
	case <-ctx.Done():
	}
	s.hurryUp()
	for {
		s.mu.Lock()
		count, fewer := s.count, s.fewer
		s.mu.Unlock()
		if count == 0 {
			return 0
		}
		select {
		case <-fewer:
		case <-ctx.Done():
			return count
		}
	}
}

// sender sends what was reported until it is accepted. Any process may send any file and
// remove it then, as the ids of the events keep them from being counted twice.
type sender struct {
	runtime *Runtime
	dir     string        // "" for none
	wake    chan struct{} // holds an item if there is something new
	hurry   chan struct{} // holds an item if the pause is to end
	scanned chan struct{} // closed when it is known what earlier processes have left

	// Of the goroutine that sends:
	failures int
	asked    bool            // for the time
	seen     map[string]bool // files at the last scan, nil before the first

	mu    sync.Mutex
	queue []*bundle
	known map[string]bool // files of the queue, of the batch, and about to be written
	count int             // events, also of the batch
	names int             // how many there have been
	fewer chan struct{}   // closed when count has become less
}

func newSender(r *Runtime) *sender {
	s := &sender{
		runtime: r, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), scanned: make(chan struct{}),
		known: map[string]bool{}, fewer: make(chan struct{}),
	}
	if r.cfg.Directory != "" {
		s.dir = filepath.Join(r.cfg.Directory, "reports")
	}
	return s
}

// signal puts an item into a channel that has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// add takes as many events as there is room for.
func (s *sender) add(events []event) int {
	s.mu.Lock()
	taken := events[:min(len(events), max(0, s.runtime.cfg.MaxEvents-s.count))]
	s.count += len(taken)
	s.mu.Unlock()
	if left := len(events) - len(taken); left > 0 {
		s.dropped(left, "the buffer is full")
	}
	for rest := taken; len(rest) > 0; {
		n, size := 0, 0
		for n < len(rest) && n < maxBatch && (n == 0 || size+len(rest[n].Event) <= maxFileBytes) {
			size += len(rest[n].Event)
			n++
		}
		s.keep(&bundle{events: rest[:n], count: n, size: size})
		rest = rest[n:]
	}
	signal(s.wake)
	return len(taken)
}

func (s *sender) dropped(count int, reason string) {
	s.runtime.event("dropped", map[string]any{"count": count, "reason": reason})
}

// keep puts a bundle into the queue, and its events into a file if that is possible.
func (s *sender) keep(b *bundle) {
	if s.dir != "" {
		var random [8]byte
		rand.Read(random[:]) // never fails
		s.mu.Lock()
		s.names++
		file := fmt.Sprintf("%013d-%06d-%x.json", time.Now().UnixMilli(), s.names%1_000_000, random)
		s.known[file] = true
		s.mu.Unlock()
		if s.write(file, b.events) {
			b.file, b.events = file, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, b)
}

func (s *sender) write(file string, events []event) bool {
	text, err := encode(content{events})
	if err == nil {
		err = replaceFile(s.path(file), text, false)
	}
	return s.runtime.fileFailed(s.path(file), err) == nil
}

func (s *sender) path(file string) string { return filepath.Join(s.dir, file) }

// read reads a file. One that is gone or is not whole has no events. ok is false if the disk
// has failed, which may pass.
func (s *sender) read(file string) (events []event, ok bool) {
	text, err := os.ReadFile(s.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true
	}
	if s.runtime.fileFailed(s.path(file), err) != nil {
		return nil, false
	}
	var c content
	err = decode(text, &c)
	for _, e := range c.Events {
		if err == nil {
			_, err = e.fields()
		}
	}
	if err != nil {
		s.dropped(0, fmt.Sprintf("the file %s cannot be read: %v", file, err))
		return nil, s.remove(file)
	}
	return c.Events, true
}

func (s *sender) remove(file string) bool {
	return s.runtime.fileFailed(s.path(file), removeFile(s.path(file))) == nil
}

// fields are the members of an event.
func (e event) fields() (fields map[string]json.RawMessage, err error) {
	return fields, json.Unmarshal(e.Event, &fields)
}

// less says that events are not pending any more.
func (s *sender) less(count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count -= count
	close(s.fewer)
	s.fewer = make(chan struct{})
}

// unsaved returns how many events are in memory alone.
func (s *sender) unsaved() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.queue {
		if b.file == "" {
			n += b.count
		}
	}
	return n
}

// hurryUp ends all pauses but those that the service has asked for.
func (s *sender) hurryUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.queue {
		b.after = time.Time{}
	}
	signal(s.hurry)
}

// run sends until ctx ends.
func (s *sender) run(ctx context.Context) {
	var scan <-chan time.Time
	if s.dir != "" {
		every := time.NewTicker(s.runtime.cfg.Every)
		defer every.Stop()
		scan = every.C
		s.scan()
	}
	close(s.scanned)
	for ctx.Err() == nil {
		batch, wait := s.take()
		if len(batch) > 0 {
			loaded, items := s.load(batch)
			s.finish(loaded, s.deliver(ctx, items))
			continue
		}
		select {
		case <-s.wake:
		case <-s.hurry:
		case <-scan:
			s.scan()
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// take takes a batch out of the queue. If there is none, it returns how long to wait for one.
func (s *sender) take() (batch []*bundle, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait = time.Hour
	count, size := 0, 0
	s.queue = slices.DeleteFunc(s.queue, func(b *bundle) bool {
		if left := time.Until(b.after); left > 0 {
			wait = min(wait, left)
			return false
		}
		if len(batch) > 0 && (count+b.count > maxBatch || size+b.size > maxBatchBytes) {
			return false
		}
		batch, count, size = append(batch, b), count+b.count, size+b.size
		return true
	})
	return batch, wait
}

// load reads the events of a batch. A file that is gone was sent by another process.
func (s *sender) load(batch []*bundle) (loaded []*bundle, items []item) {
	for _, b := range batch {
		events := b.events
		if b.file != "" {
			var ok bool
			if events, ok = s.read(b.file); !ok {
				s.later(b)
				continue
			}
			s.less(b.count - len(events))
			b.count = len(events)
		}
		loaded = append(loaded, b)
		for _, e := range events {
			items = append(items, item{e, b})
		}
	}
	return loaded, items
}

// later puts a bundle back into the queue.
func (s *sender) later(b *bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.after = time.Now().Add(times(maxSendPause, jitter()))
	s.queue = append(s.queue, b)
}

// finish removes the bundles that are done, and puts those of which events are left back
// into the queue.
func (s *sender) finish(batch []*bundle, left []item) {
	stays := map[*bundle][]event{}
	for _, i := range left {
		stays[i.of] = append(stays[i.of], i.event)
	}
	for _, b := range batch {
		events := stays[b]
		if len(events) == 0 {
			s.done(b)
			continue
		}
		if b.file == "" {
			b.events = events
		} else if len(events) < b.count {
			s.write(b.file, events) // with the old file, what was accepted would be sent again
		}
		b.count = len(events)
		s.later(b)
	}
}

// done removes the file of a bundle. If that fails it stays known, so that it is not sent
// again.
func (s *sender) done(b *bundle) {
	if b.file == "" || !s.remove(b.file) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, b.file)
}

// scan takes the files of other processes, which may have been killed: at the first scan
// all, later those that were there at the scan before, as a process that runs sends its own
// sooner.
func (s *sender) scan() {
	entries, err := os.ReadDir(s.dir)
	if !errors.Is(err, fs.ErrNotExist) {
		s.runtime.fileFailed(s.dir, err)
	}
	first, before := s.seen == nil, s.seen
	s.seen = map[string]bool{}
	for _, e := range entries {
		file := e.Name()
		s.seen[file] = true
		switch {
		case strings.HasSuffix(file, ".tmp") && before[file]:
			s.remove(file)
		case strings.HasSuffix(file, ".json") && (first || before[file]):
			s.adopt(file)
		}
	}
}

// adopt puts a file into the queue, unless it is there.
func (s *sender) adopt(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[file] {
		return
	}
	events, _ := s.read(file)
	if len(events) == 0 {
		return
	}
	s.known[file] = true
	s.count += len(events)
	s.queue = append(s.queue, &bundle{file: file, count: len(events), size: len(events) * maxFileBytes / maxBatch})
}

// deliver sends events until each is accepted, rejected, or refused because of its agent. It
// returns the refused ones, and all that are left when ctx ends.
func (s *sender) deliver(ctx context.Context, items []item) (left []item) {
	if len(items) == 0 {
		return nil
	}
	key := IdempotencyKey(rand.Text())
	var body []json.RawMessage // always the same with this key
	for {
		err := s.askTime(ctx, items)
		if err == nil {
			if body == nil {
				body = s.corrected(items)
			}
			err = s.post(ctx, body, key)
		}
		e, _ := errors.AsType[*Error](err)
		switch {
		case err == nil:
			s.failures = 0
			s.less(len(items))
			return nil
		case e != nil && (e.Status == http.StatusBadRequest && e.Code != 0 || e.Status == http.StatusRequestEntityTooLarge):
			return s.divide(ctx, items, e)
		case e != nil && e.Code == ErrForbidden:
			return s.byAgent(ctx, items)
		case !s.pause(ctx, err):
			return items
		}
	}
}

// post sends a batch once.
func (s *sender) post(ctx context.Context, body []json.RawMessage, key Option) error {
	var result ReportResult
	err := s.runtime.timed(ctx, "report", 6*s.runtime.cfg.Timeout, func(ctx context.Context) (err error) {
		result, err = post[ReportResult](ctx, s.runtime.client, path("activities"), map[string]any{"events": body}, []Option{key})
		return err
	})
	if err == nil {
		s.runtime.event("reported", map[string]any{"accepted": int(result.Accepted), "duplicates": int(result.Duplicates)})
	} else if e, ok := errors.AsType[*Error](err); ok && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden) {
		s.runtime.event("refused", map[string]any{"detail": e.Error()})
	}
	return err
}

// divide rejects the events that the answer names and sends the others. If it names none, it
// looks for them in both halves.
func (s *sender) divide(ctx context.Context, items []item, e *Error) (left []item) {
	bad := map[int]string{}
	for _, m := range e.Mistakes {
		var i int
		if n, _ := fmt.Sscanf(m.Path, "events[%d]", &i); n == 1 && bad[i] == "" {
			bad[i] = m.Path + ": " + m.Text
		}
	}
	if len(bad) == 0 && len(items) == 1 {
		bad[0] = e.Detail
	}
	if len(bad) == 0 {
		half := len(items) / 2
		return append(s.deliver(ctx, items[:half]), s.deliver(ctx, items[half:])...)
	}
	var others []item
	for i, it := range items {
		if bad[i] == "" {
			others = append(others, it)
			continue
		}
		var object Object
		_ = decode(it.Event, &object) // it was read before
		s.runtime.event("rejected", map[string]any{"event": object, "detail": bad[i]})
		s.less(1)
	}
	return s.deliver(ctx, others)
}

// byAgent sends the events of each agent alone, as the token may be allowed to report about
// some. Those of one agent are left.
func (s *sender) byAgent(ctx context.Context, items []item) (left []item) {
	var agents []string
	of := map[string][]item{}
	for _, it := range items {
		fields, _ := it.fields() // it was read before
		agent := string(fields["agent"])
		if of[agent] == nil {
			agents = append(agents, agent)
		}
		of[agent] = append(of[agent], it)
	}
	if len(agents) == 1 {
		return items
	}
	for _, agent := range agents {
		left = append(left, s.deliver(ctx, of[agent])...)
	}
	return left
}

// askTime makes sure that the service's clock is known if times are of the clock here.
func (s *sender) askTime(ctx context.Context, items []item) error {
	_, known := s.runtime.clock.offset()
	if known || s.asked || !slices.ContainsFunc(items, func(i item) bool { return i.Stamped }) {
		return nil
	}
	err := s.runtime.timed(ctx, "clock", s.runtime.cfg.Timeout, func(ctx context.Context) error {
		_, err := s.runtime.client.Me(ctx)
		return err
	})
	if f, ok := errors.AsType[*Failure](err); ok && f.Lost {
		return err
	}
	s.asked = true // any other answer has the time, or none ever has
	return nil
}

// corrected returns the events as they are sent.
func (s *sender) corrected(items []item) (all []json.RawMessage) {
	ahead, _ := s.runtime.clock.offset()
	for _, it := range items {
		if it.Stamped && ahead.Abs() > maxOffset {
			it.move(ahead)
		}
		all = append(all, it.Event)
	}
	return all
}

// move changes the time of an event.
func (e *event) move(by time.Duration) {
	fields, err := e.fields()
	var at time.Time
	if err != nil || json.Unmarshal(fields["timestamp"], &at) != nil {
		return
	}
	fields["timestamp"], _ = json.Marshal(at.Add(by)) // it is within bounds, or the event is rejected
	if text, err := encode(fields); err == nil {
		e.Event = text
	}
}

// pause waits after a failure, longer from one to the next. It reports whether to go on.
func (s *sender) pause(ctx context.Context, err error) bool {
	asked := time.Now().Add(retryAfterOf(err))
	wait := times(min(time.Second<<min(s.failures, 5), maxSendPause), jitter())
	s.failures++
	select {
	case <-time.After(max(wait, time.Until(asked))):
	case <-s.hurry:
		sleep(ctx, time.Until(asked))
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
