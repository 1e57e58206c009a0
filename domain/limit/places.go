package limit

import "sync"

// Places are how many requests of one kind run at once in a process, whatever the limits:
// each may take much memory. They are safe for concurrent use.
type Places struct {
	all, each int // the bounds
	mu        sync.Mutex
	taken     int
	ofSubject map[string]int
}

// Documents are the places of requests that read or write the document of the whole
// organization, which also take a file: four, of which a subject has at most two.
func Documents() *Places { return newPlaces(4, 2) }

// LongAnswers are the places of reads whose answers are sent while they are made: eight,
// of which a subject has at most two.
func LongAnswers() *Places { return newPlaces(8, 2) }

func newPlaces(all, each int) *Places {
	return &Places{all: all, each: each, ofSubject: map[string]int{}}
}

// Enter lets a request of a subject begin, or returns the refusal of one that is too
// many. Call leave, once, when it has ended.
func (p *Places) Enter(operation, subject string) (leave func(), refused *Denial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ofSubject[subject] >= p.each:
		return nil, Slot{Name: operation, Key: subject, Cap: p.each}.Deny()
	case p.taken >= p.all:
		return nil, Slot{Name: operation, Cap: p.all}.Deny()
	}
	p.taken++
	p.ofSubject[subject]++
	return func() { p.leave(subject) }, nil
}

func (p *Places) leave(subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.ofSubject[subject]--; p.ofSubject[subject] == 0 {
		delete(p.ofSubject, subject)
	}
}
