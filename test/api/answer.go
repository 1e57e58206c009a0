package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Answer is what the service said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// OK reports a success.
func (a Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// ETag is the entity tag of what the answer shows, or "".
func (a Answer) ETag() string { return a.Header.Get("ETag") }

// TagPrefix is what all tags of the service begin with until a restore or another cursor key: what stands
// before the id, with the colon.
func (a Answer) TagPrefix() string {
	prefix, _, found := strings.Cut(strings.TrimPrefix(a.ETag(), `"`), ":")
	if !found {
		return ""
	}
	return prefix + ":"
}

// Replayed reports whether the answer is that of an earlier request with the
// same Idempotency-Key.
func (a Answer) Replayed() bool { return a.Header.Get("Idempotent-Replayed") == "true" }

// RetryAfter is how long to wait before asking again, or 0.
func (a Answer) RetryAfter() time.Duration {
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// Data decodes the data of the envelope into dst.
func (a Answer) Data(dst any) error {
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &envelope); err != nil {
		return fmt.Errorf("answer %d is no envelope: %w: %.200q", a.Status, err, a.Body)
	}
	if err := json.Unmarshal(envelope.Data, dst); err != nil {
		return fmt.Errorf("answer %d: %w: %.200q", a.Status, err, envelope.Data)
	}
	return nil
}

// problem is the part of an error that tests look at.
type problem struct {
	Error  string `json:"error"`
	Detail struct {
		Code int `json:"error_code"`
	} `json:"error_detail"`
}

// Code is the error code of the interface, or 0 if the answer has none.
func (a Answer) Code() int { return a.problem().Detail.Code }

// Err describes an answer that was not expected.
func (a Answer) Err() error {
	p := a.problem()
	return fmt.Errorf("answer %d/%d: %s", a.Status, p.Detail.Code, p.Error)
}

func (a Answer) problem() problem {
	var p problem
	if json.Unmarshal(a.Body, &p) != nil {
		p.Error = fmt.Sprintf("%.200q", a.Body) // not JSON: shown as it is
	}
	return p
}

// pageSize is the most that a page may hold.
const pageSize = 200

// All reads every page of a list and returns its items. The query may be nil.
func All[T any](ctx context.Context, c *Client, path string, query url.Values) ([]T, error) {
	var all []T
	ask := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for name, values := range query {
		ask[name] = values
	}
	for {
		var p struct {
			Data       []T `json:"data"`
			Pagination struct {
				Next *string `json:"next_cursor"`
			} `json:"pagination"`
		}
		a, err := c.Do(ctx, Request{Method: http.MethodGet, Path: path + "?" + ask.Encode()})
		if err != nil {
			return nil, err
		}
		if !a.OK() {
			return nil, fmt.Errorf("GET %s: %w", path, a.Err())
		}
		if err := json.Unmarshal(a.Body, &p); err != nil {
			return nil, fmt.Errorf("GET %s: %w", path, err)
		}
		all = append(all, p.Data...)
		if p.Pagination.Next == nil {
			return all, nil
		}
		ask.Set("cursor", *p.Pagination.Next)
	}
}
