package request

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"unicode"
	"unicode/utf8"

	"orgd/domain/fault"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Page is a page with one message, for people whose browser is not in the console.
type Page struct {
	Title string
	Text  string
	// Link is what to do next, under the words Action.
	Link, Action string
	Small        string // in small letters below; may be ""
	Console      string // set by [Request.SendPage]
}

const pagePolicy = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// SendPage answers with a page.
func (r *Request) SendPage(status int, p Page) {
	p.Console = r.Route.Back
	var body bytes.Buffer
	if err := pageTemplate.Execute(&body, p); err != nil {
		panic(err) // the template does not fit the page
	}
	h := r.Writer.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	r.Write(status, "text/html; charset=utf-8", body.Bytes())
}

// failPage answers an error of a route that people see.
func (r *Request) failPage(f *fault.Error, status int) {
	p := Page{Title: "You are not signed in", Text: sentence(f.Msg), Link: r.Route.Back, Action: "Back to sign-in", Small: "If you ask somebody about it, say " + r.ID + "."}
	if status == http.StatusForbidden {
		p.Title = "You have no role here yet"
	}
	r.SendPage(status, p)
}

// sentence makes a sentence of an error message.
func sentence(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:] + "."
}
