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

// readTarget reads the resource in the path, and the If-Match of a change without a body.
func readTarget[T any](r *request.Request, path func(*request.Request) (T, error)) (target T, call app.Call, err error) {
	if target, err = path(r); err != nil {
		return target, call, err
	}
	call, err = r.ConditionalCall()
	return target, call, err
}

// readChange reads the body and the If-Match of a change.
func readChange[T any](r *request.Request, parse func(jsondoc.Value) (T, error)) (in T, call app.Call, err error) {
	if in, err = readNew(r, parse); err != nil {
		return in, call, err
	}
	call, err = r.ConditionalCall()
	return in, call, err
}
