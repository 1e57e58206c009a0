package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/httpapi/web"
)

// site has the handlers of a web site. Its files are the same for all clients; its pages
// read their data from the API.
type site struct{ files web.Site }

// pagePolicy is that of all pages: they have no inline styles or scripts, and no text can become
// markup or script.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func (s site) index(r *request.Request) error { return s.serve(r, "index.html") }

func (s site) file(r *request.Request) error { return s.serve(r, r.Param("file")) }

func (s site) serve(r *request.Request, name string) error {
	f, ok := s.files[name]
	if !ok {
		return request.ErrNoRoute
	}
	h := r.Writer.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Add("Vary", "Accept-Encoding")
	packed, tag := protocol.AcceptsGzip(r.HTTP.Header), `"`+f.Tag+`"`
	if packed {
		tag = `"` + f.Tag + `.gz"` // "-gzip" would be the mark of a proxy
	}
	if protocol.ClientHas(r.HTTP.Header, tag) {
		return r.NotModified(tag)
	}
	h.Set("ETag", tag)
	if packed {
		h.Set("Content-Encoding", "gzip")
		r.Write(http.StatusOK, f.Type, f.Packed)
		return nil
	}
	body, err := f.Unpack()
	if err != nil {
		return err
	}
	r.Write(http.StatusOK, f.Type, body)
	return nil
}
