package limit

import "sync"

// How many requests that read or write the document of the whole organization run at
// once in a process, whatever the limits: each may take much memory, and a file.
const (
	MaxDocuments          = 4
	MaxDocumentsOfSubject = 2
)

// Documents counts such requests. The zero value has none. It is safe for concurrent
// use.
type Documents struct {
	mu        sync.Mutex
	running   int
	ofSubject map[string]int
}

// Enter lets a request of a subject begin, or returns the refusal of one that is too
// many. Call leave, once, when it has ended.
func (d *Documents) Enter(operation, subject string) (leave func(), refused *Denial) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.ofSubject[subject] >= MaxDocumentsOfSubject:
		return nil, Slot{Name: operation, Key: subject, Cap: MaxDocumentsOfSubject}.Deny()
	case d.running >= MaxDocuments:
		return nil, Slot{Name: operation, Cap: MaxDocuments}.Deny()
	}
	if d.ofSubject == nil {
		d.ofSubject = map[string]int{}
	}
	d.running++
	d.ofSubject[subject]++
	return func() { d.leave(subject) }, nil
}

func (d *Documents) leave(subject string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
	if d.ofSubject[subject]--; d.ofSubject[subject] == 0 {
		delete(d.ofSubject, subject)
	}
}
