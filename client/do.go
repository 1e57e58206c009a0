package client

import (
	"context"
	"encoding/json"
	"strings"
)

// Do sends a request for which there is no method, such as one to an operation
// of a newer service or one that was made beforehand. path is below the path of
// the API, escaped, and may have a query. body is what encoding/json makes JSON of,
// or nil; with PATCH it is a merge patch. The result is the payload, nil if there
// is none. It repeats as all methods do and takes every option.
func (c *Client) Do(ctx context.Context, method, path string, body any, opts ...Option) (json.RawMessage, error) {
	r := request{method: method, path: "/" + strings.TrimPrefix(path, "/"), body: body, takes: []string{ifMatch, ifNoneMatch, changeReason}}
	a, err := c.do(ctx, r, opts)
	if err != nil || len(a.body) == 0 {
		return nil, err
	}
	var payload json.RawMessage
	return payload, a.payload(&payload, r)
}
