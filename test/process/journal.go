package process

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

const (
	maxTail = 20 // lines
	maxBad  = 20 // lines of each kind
)

// journal takes what the program writes to standard error: one JSON object a
// line. It finds there where the program serves, and keeps the end, the warnings
// and the errors.
type journal struct {
	url chan string // takes the first one

	mu       sync.Mutex
	rest     []byte   // of a line that is not complete
	tail     []string // the last lines
	warnings []string // the first lines of level warn
	errors   []string // the first lines of level error or worse, or that are not JSON
	found    bool
}

func newJournal() *journal { return &journal{url: make(chan string, 1)} }

// Write implements io.Writer.
func (j *journal) Write(text []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rest = append(j.rest, text...)
	for {
		line, rest, complete := bytes.Cut(j.rest, []byte{'\n'})
		if !complete {
			return len(text), nil
		}
		j.line(line)
		j.rest = rest
	}
}

func (j *journal) line(line []byte) {
	var entry struct {
		Level string `json:"level"`
		URL   string `json:"url"`
	}
	bad := json.Unmarshal(line, &entry) != nil || slices.Contains([]string{"error", "dpanic", "panic", "fatal"}, entry.Level)
	switch {
	case bad && len(j.errors) < maxBad:
		j.errors = append(j.errors, string(line))
	case entry.Level == "warn" && len(j.warnings) < maxBad:
		j.warnings = append(j.warnings, string(line))
	}
	if len(j.tail) == maxTail {
		j.tail = j.tail[1:]
	}
	j.tail = append(j.tail, string(line))
	if entry.URL != "" && !j.found {
		j.found = true
		j.url <- entry.URL
	}
}

// Warnings returns the lines of level warn.
func (j *journal) Warnings() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.warnings)
}

// Errors returns the lines that tell of a failure of the program.
func (j *journal) Errors() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.errors)
}

// String returns the end of the log, for people.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var b bytes.Buffer
	for _, line := range j.tail {
		fmt.Fprintf(&b, "  | %s\n", line)
	}
	return b.String()
}
