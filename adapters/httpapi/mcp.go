package httpapi

import (
	"io"
	"net/http"
	"strings"

	"orgd/adapters/httpapi/internal/request"
)

// MCP makes the handler of the Model Context Protocol; nil: there is none. Its calls ask api,
// for the caller of their request.
type MCP func(api http.Handler) http.Handler

// models serves tools to models.
type models struct{ handler http.Handler }

// serve serves POST /mcp. The cookie of a browser does not count: pages have the API.
func (m models) serve(r *request.Request) error {
	if r.Cookie != "" {
		return errNoToken
	}
	body, err := r.Text()
	if err != nil {
		return err
	}
	in := r.HTTP.Clone(r.Client) // what it asks for has timeouts of its own
	in.Body = io.NopCloser(strings.NewReader(body))
	m.handler.ServeHTTP(r.Writer, in)
	return nil
}
