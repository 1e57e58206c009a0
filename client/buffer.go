package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
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

// content is what a file has.
type content struct {
	Events []event `json:"events"`
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
		s.begun.Do(s.renew)
		s.mu.Lock()
		s.names++
		file := fmt.Sprintf("%013d-%06d-%s.json", time.Now().UnixMilli(), s.names%1_000_000, s.owner)
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
		err = replaceFile(s.path(file), text, time.Time{}, false)
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

// lessen takes events off those that are pending.
func (s *sender) lessen(count int) {
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

// scan takes the files of those that have ended, who may have been killed.
func (s *sender) scan() {
	if s.hasWritten() {
		s.renew()
	}
	entries, err := os.ReadDir(s.dir)
	if !errors.Is(err, fs.ErrNotExist) {
		s.runtime.fileFailed(s.dir, err)
	}
	alive := s.alive(entries)
	for _, e := range entries {
		file := e.Name()
		if owner := ownerOf.FindStringSubmatch(file); owner != nil && alive[owner[1]] {
			continue
		}
		switch filepath.Ext(file) {
		case ".json":
			s.adopt(file)
		case ".tmp":
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > s.lease() {
				s.remove(file)
			}
		}
	}
}

// adopt puts a file into the queue, unless it is there.
func (s *sender) adopt(file string) {
	s.mu.Lock()
	known := s.known[file]
	s.mu.Unlock()
	if known {
		return
	}
	events, _ := s.read(file)
	if len(events) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[file] = true
	s.count += len(events)
	signal(s.wake)
	s.queue = append(s.queue, &bundle{file: file, count: len(events), size: len(events) * maxFileBytes / maxBatch})
}
