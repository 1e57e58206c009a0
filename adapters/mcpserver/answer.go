package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"strings"
	"unicode/utf8"

	"orgd/client"
)

const (
	// MaxAnswer bounds the text of an answer, in bytes.
	MaxAnswer = 8 << 10
	// defaultItems and maxItems are how many items of a list an answer has.
	defaultItems, maxItems = 20, 50
	// maxClipped bounds texts in lists, and maxError those of errors, in bytes.
	maxClipped, maxError = 200, 2000
)

// object is one of JSON.
type object = map[string]any

// paging says which part of a list is wanted.
type paging struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"most items (default 20)"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the answer before"`
}

// list answers with a page of a list: with as many items as fit, in a member of head. The
// cursor is that of the API.
func list[T any](head object, member string, p paging, read func(client.PageQuery) (client.Page[T], error), view func(T) any) (string, error) {
	limit := cmp.Or(p.Limit, defaultItems)
	for {
		page, err := read(client.PageQuery{Limit: limit, Cursor: p.Cursor})
		if err != nil {
			return "", err
		}
		items := make([]any, len(page.Items))
		for i, item := range page.Items {
			items[i] = view(item)
		}
		answer := object{member: items}
		maps.Copy(answer, head)
		if page.Next != "" {
			answer["next_cursor"] = page.Next
		}
		text, err := encode(answer)
		if err != nil || len(text) <= MaxAnswer || len(items) <= 1 {
			return text, err
		}
		limit = max(1, len(items)*MaxAnswer/len(text))
	}
}

// known reads the pages of a list. An empty one is an error if its department or its agent
// does not exist: a model would take it for the answer.
func known[T any](ctx context.Context, c *client.Client, department, agent string, read func(client.PageQuery) (client.Page[T], error)) func(client.PageQuery) (client.Page[T], error) {
	return func(p client.PageQuery) (client.Page[T], error) {
		page, err := read(p)
		if err == nil && len(page.Items) == 0 && department != "" {
			_, err = c.Department(ctx, department)
		}
		if err == nil && len(page.Items) == 0 && agent != "" {
			_, err = c.Agent(ctx, agent)
		}
		return page, err
	}
}

// document answers with a value, or with a part of its JSON if that is too long.
func document(v any, cursor string) (string, error) {
	text, err := encode(v)
	if err != nil || cursor == "" && len(text) <= MaxAnswer {
		return text, err
	}
	return part(nil, "json", text, cursor)
}

// part answers with as much of a text as fits, in a member of head, from the cursor on. It
// ends with a line, if it has one.
func part(head object, member, text, cursor string) (string, error) {
	from, err := offset(text, cursor)
	if err != nil {
		return "", err
	}
	answer := maps.Clone(head)
	if answer == nil {
		answer = object{}
	}
	for n := MaxAnswer; ; {
		piece := cut(text[from:], n)
		answer[member] = piece
		if delete(answer, "next_cursor"); from+len(piece) < len(text) {
			answer["next_cursor"] = fmt.Sprintf("%d-%s", from+len(piece), sum(text))
			answer["total_bytes"] = len(text)
		}
		whole, err := encode(answer)
		if err != nil || len(whole) <= MaxAnswer {
			return whole, err
		}
		n = min(len(piece)-1, len(piece)*MaxAnswer/len(whole))
	}
}

// offset reads the cursor of a text.
func offset(text, cursor string) (from int, err error) {
	if cursor == "" {
		return 0, nil
	}
	at, of, _ := strings.Cut(cursor, "-")
	if of != sum(text) {
		return 0, mistake("the cursor is of something else, or of what has changed since: begin again without a cursor")
	}
	if _, err := fmt.Sscanf(at, "%d", &from); err != nil || from < 0 || from > len(text) || from < len(text) && !utf8.RuneStart(text[from]) {
		return 0, mistake("the cursor is not one that an answer had")
	}
	return from, nil
}

// sum tells texts apart.
func sum(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}

// cut returns at most n bytes of a text, whole lines if there is one in their second half.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if end := strings.LastIndexByte(text[:n], '\n') + 1; end > n/2 {
		n = end
	}
	return text[:n]
}

// clip shortens a text of a list.
func clip(text string) string {
	if len(text) <= maxClipped {
		return text
	}
	return strings.ToValidUTF8(text[:maxClipped], "") + "…"
}

// encode returns compact JSON.
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // it would make texts longer
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("mcpserver: encode an answer: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// members returns the members of an object of the API by their names.
func members(v any) (all map[string]json.RawMessage, err error) {
	text, err := encode(v)
	if err == nil {
		err = json.Unmarshal([]byte(text), &all)
	}
	return all, err
}
