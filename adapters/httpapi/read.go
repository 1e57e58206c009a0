package httpapi

import (
	"context"

	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// maxFilter bounds a word that a list is filtered by, in code points.
const maxFilter = 128

// find returns what the path names.
func find[K, V any](r *request.Request, path func(*request.Request) (K, error), load func(context.Context, K) (V, error)) (found V, err error) {
	key, err := path(r)
	if err != nil {
		return found, err
	}
	return load(r.Ctx(), key)
}

// removeTarget removes what the path names, under the request's If-Match, and answers
// with 204.
func removeTarget[K any](r *request.Request, path func(*request.Request) (K, error), remove func(context.Context, app.Call, K) error) error {
	key, call, err := readTarget(r, path)
	if err != nil {
		return err
	}
	if err := remove(r.Ctx(), call, key); err != nil {
		return err
	}
	return r.NoContent()
}

// readTarget reads the path and the If-Match of a change without a body.
func readTarget[K any](r *request.Request, path func(*request.Request) (K, error)) (key K, call app.Call, err error) {
	if key, err = path(r); err != nil {
		return key, call, err
	}
	call, err = r.ConditionalCall()
	return key, call, err
}

// readNew reads the body of a request that creates something.
func readNew[T any](r *request.Request, parse func(jsondoc.Value) (T, error)) (in T, call app.Call, err error) {
	if in, err = readBody(r, parse); err != nil {
		return in, call, err
	}
	call, err = r.ReasonedCall()
	return in, call, err
}

func readBody[T any](r *request.Request, parse func(jsondoc.Value) (T, error)) (in T, err error) {
	doc, err := r.Document()
	if err != nil {
		return in, err
	}
	return parse(doc)
}

// readConditional reads the body and the If-Match of a change.
func readConditional[T any](r *request.Request, parse func(jsondoc.Value) (T, error)) (in T, call app.Call, err error) {
	if in, err = readBody(r, parse); err != nil {
		return in, call, err
	}
	call, err = r.ConditionalCall()
	return in, call, err
}

// readChange reads the path, the body and the If-Match of a change.
func readChange[K, T any](
	r *request.Request, path func(*request.Request) (K, error), parse func(jsondoc.Value) (T, error),
) (key K, in T, call app.Call, err error) {
	if key, err = path(r); err != nil {
		return key, in, call, err
	}
	in, call, err = readConditional(r, parse)
	return key, in, call, err
}

// orderOf returns what reads a body with one field, a list of at most max names, each of
// which parse reads.
func orderOf[T any](field string, max int, parse func(string) (T, error)) func(jsondoc.Value) ([]T, error) {
	return func(doc jsondoc.Value) (order []T, err error) {
		var names []string
		err = jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
			r.Texts(field, &names, jsondoc.Bounds{MaxItems: max, MinLen: 1, MaxLen: name.MaxLength})
			r.Require(field)
			for _, text := range names {
				v, err := parse(text)
				if err != nil {
					r.Fail(field, "%s", err)
				}
				order = append(order, v)
			}
		})
		return order, err
	}
}
