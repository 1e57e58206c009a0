package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Event is one block of a stream of Server-Sent Events.
type Event struct {
	ID      string // the last one of the stream so far, which a client comes back with
	Type    string // "" unless the block names one
	Data    string // "" in a block that is no event
	Comment string
}

// Events reads Server-Sent Events.
type Events struct {
	lines *bufio.Reader
	id    string
	body  io.Closer
}

// NewEvents reads the blocks of a stream.
func NewEvents(r io.Reader) *Events { return &Events{lines: bufio.NewReader(r)} }

// Follow opens the stream at a path, behind the event with the id last, or from
// now on if that is empty. It lasts until ctx ends or Close is called.
func (c *Client) Follow(ctx context.Context, path, last string) (*Events, error) {
	req, err := c.request(ctx, Request{Method: http.MethodGet, Path: path})
	if err != nil {
		return nil, err
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	endless := *c.http
	endless.Timeout = 0
	resp, err := endless.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		e := NewEvents(resp.Body)
		e.id, e.body = last, resp.Body
		return e, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("GET %s: read the answer: %w", path, err)
	}
	return nil, fmt.Errorf("GET %s: %w", path, Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}.Err())
}

// Close leaves a stream that Follow has opened.
func (e *Events) Close() error { return e.body.Close() }

// Next returns the next block. The error is io.EOF if the stream has ended
// between two of them.
func (e *Events) Next() (Event, error) {
	var b Event
	for begun := false; ; begun = true {
		line, err := e.lines.ReadString('\n')
		switch {
		case err == io.EOF && !begun && line == "":
			return Event{}, io.EOF
		case err == io.EOF:
			return Event{}, io.ErrUnexpectedEOF
		case err != nil:
			return Event{}, err
		case line == "\n":
			b.ID = e.id
			return b, nil
		}
		if err := e.add(&b, strings.TrimSuffix(line, "\n")); err != nil {
			return Event{}, err
		}
	}
}

func (e *Events) add(b *Event, line string) error {
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "":
		b.Comment += value
	case "id":
		e.id = value
	case "event":
		b.Type = value
	case "data":
		b.Data += value
	case "retry":
	default:
		return fmt.Errorf("line %.200q is no field of an event", line)
	}
	return nil
}
