// Package history reads what has happened to the agents of a real organization,
// for the tests that play it through the service.
package history

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// The operations of a history.
const (
	Hire   = "hire"
	Update = "update"
	Fire   = "fire"
)

// Real is where the history of a real organization lies, if there is one, as
// seen from the package of a test.
const Real = "../../../shared/data/agents-history.jsonl.gz"

// Entry is one line of a history: what happened to one agent at one moment. A
// hire tells everything, an update only what changed, and a fire nothing but
// the name; what is not told is nil.
type Entry struct {
	Seq          int       `json:"seq"`
	Commit       string    `json:"commit"`
	Date         time.Time `json:"date"`
	Op           string    `json:"op"`
	Name         string    `json:"name"`
	Department   *string   `json:"department"`
	Description  *string   `json:"description"`
	Model        *string   `json:"model"`
	Tools        *[]string `json:"tools"`
	Instructions *string   `json:"instructions"`
}

// Reason is what the change of this entry is recorded with.
func (e Entry) Reason() string {
	return e.Date.Format(time.RFC3339) + " " + e.Commit
}

// ReadFile reads a history from a file, as it is or compressed by gzip.
func ReadFile(path string) ([]Entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // was only read
	entries, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return entries, nil
}

// Read reads a history, as it is or compressed by gzip. An entry that makes no
// sense behind those before it is an error.
func Read(r io.Reader) ([]Entry, error) {
	plain, err := decompress(bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	var entries []Entry
	employed := map[string]bool{}
	d := json.NewDecoder(plain)
	d.DisallowUnknownFields()
	for {
		var e Entry
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err == nil {
			err = e.check(len(entries)+1, employed[e.Name])
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(entries)+1, err)
		}
		employed[e.Name] = e.Op != Fire
		entries = append(entries, e)
	}
}

// decompress looks at the first bytes: they tell what a name may not.
func decompress(r *bufio.Reader) (io.Reader, error) {
	magic, err := r.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return gzip.NewReader(r)
	}
	return r, nil
}

// check reports what is wrong with the entry at place seq, when its agent is
// employed or not.
func (e Entry) check(seq int, employed bool) error {
	all := e.Department != nil && e.Description != nil && e.Model != nil && e.Tools != nil && e.Instructions != nil
	switch {
	case e.Seq != seq:
		return fmt.Errorf("seq is %d, want %d", e.Seq, seq)
	case e.Name == "" || e.Commit == "" || e.Date.IsZero():
		return errors.New("name, commit and date are required")
	case e.Op != Hire && e.Op != Update && e.Op != Fire:
		return fmt.Errorf("op is %q, want %s, %s or %s", e.Op, Hire, Update, Fire)
	case e.Op == Hire && !all:
		return errors.New("a hire needs all fields")
	case e.Op == Hire && employed:
		return fmt.Errorf("%s is hired but was not fired before", e.Name)
	case e.Op != Hire && !employed:
		return fmt.Errorf("%s of %s, who is not employed", e.Op, e.Name)
	}
	return nil
}
