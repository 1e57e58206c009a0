package jsondoc

import "strings"

// Bounds limits an array of strings: the number of items, and the code points
// of each.
type Bounds struct {
	MinItems, MaxItems int
	MinLen, MaxLen     int
}

// Texts reads an array of strings that are all different. It replaces the
// slice; an empty array makes it nil.
func (r *Reader) Texts(name string, dst *[]string, b Bounds) {
	v, ok := r.array(name, "an array of strings", b.MinItems, b.MaxItems)
	if !ok {
		return
	}
	before := r.report.count
	texts := r.texts(name, v, b)
	if r.report.count == before {
		*dst = texts
	}
}

func (r *Reader) texts(name string, v Value, b Bounds) (texts []string) {
	var seen refSet
	p := v.parts()
	for i := 0; p.next(); i++ {
		item := p.value()
		if item.kind != KindString {
			r.FailItem(name, i, "must be a string")
			continue
		}
		if problem := checkLength(item.text, b.MinLen, b.MaxLen); problem != "" {
			r.FailItem(name, i, "%s", problem)
			continue
		}
		if first := seen.add(v.text, item.text, refTo(p.begin, strings.IndexByte(v.text[p.begin:p.end], '\\') >= 0)); first != 0 {
			r.FailItem(name, i, "must not repeat item %d", v.indexAt(first.at()))
			continue
		}
		texts = append(texts, item.text)
	}
	return texts
}

// Free reads a free-form object whose canonical text has at most maxBytes
// bytes, before and after it is merged into *dst as a JSON Merge Patch. Where
// documents are whole it replaces *dst.
func (r *Reader) Free(name string, dst *Object, maxBytes int) {
	v, ok := r.get(name, KindObject, "an object")
	if !ok {
		return
	}
	patch, ok := v.ObjectWithin(maxBytes)
	if !ok {
		r.Fail(name, "%s", TooLarge(v, maxBytes))
		return
	}
	if r.whole || *dst == "" && !v.removes() {
		*dst = patch
		return
	}
	merged := dst.Merge(v)
	if len(merged) > maxBytes {
		r.report.merged++
		r.Fail(name, "must be at most %d bytes of JSON when merged into the current value, not %d", maxBytes, len(merged))
		return
	}
	*dst = merged
}

// Document reads an object as it is written: for what stores keep, which is canonical.
func (r *Reader) Document(name string, dst *string) {
	if v, ok := r.get(name, KindObject, "an object"); ok {
		*dst = v.text
	}
}

// FreeOrNull reads a free-form object like Free; null makes it nil, and nil
// merges like the empty object.
func (r *Reader) FreeOrNull(name string, dst **Object, maxBytes int) {
	orNull(r, name, dst, func(o *Object) {
		if *dst != nil {
			*o = **dst
		}
		r.Free(name, o, maxBytes)
	})
}

// Object reads a nested object with f.
func (r *Reader) Object(name string, f func(*Reader)) {
	v, ok := r.get(name, KindObject, "an object")
	if !ok {
		return
	}
	r.below(name, -1, r.whole, v, f)
}

// List reads an array of at most maxItems objects, each with f into a zero T.
// It replaces the slice; an empty array makes it nil. Items are always read
// whole, because a JSON Merge Patch does not reach into arrays.
func List[T any](r *Reader, name string, dst *[]T, maxItems int, f func(r *Reader, item *T)) {
	v, ok := r.array(name, "an array of objects", 0, maxItems)
	if !ok {
		return
	}
	var fresh []T
	before := r.report.count
	r.items(name, v, func(r *Reader) {
		var item T
		f(r, &item)
		fresh = append(fresh, item)
	})
	if r.report.count == before {
		*dst = fresh
	}
}

// items reads the objects in the array v, which is the member name, with f.
func (r *Reader) items(name string, v Value, f func(*Reader)) {
	p := v.parts()
	for i := 0; p.next(); i++ {
		item := p.value()
		if item.kind != KindObject {
			r.FailItem(name, i, "must be an object")
			continue
		}
		r.below(name, i, true, item, f)
	}
}

// array returns the member if it is an array of min to max items.
func (r *Reader) array(name, what string, min, max int) (v Value, ok bool) {
	v, ok = r.get(name, KindArray, what)
	if !ok {
		return v, false
	}
	if problem := checkCount(v.Len(), min, max); problem != "" {
		r.Fail(name, "%s", problem)
		return v, false
	}
	return v, true
}
