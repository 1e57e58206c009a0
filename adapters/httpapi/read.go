package httpapi

import (
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/jsondoc"
)

// readNew reads the body of a request that creates something.
func readNew[T any](r *request.Request, parse func(jsondoc.Value) (T, error)) (in T, err error) {
	doc, err := r.Document()
	if err != nil {
		return in, err
	}
	return parse(doc)
}

// readChange reads the body and the If-Match of a change.
func readChange[T any](r *request.Request, parse func(jsondoc.Value) (T, error)) (in T, call app.Call, err error) {
	if in, err = readNew(r, parse); err != nil {
		return in, call, err
	}
	call, err = r.ConditionalCall()
	return in, call, err
}
