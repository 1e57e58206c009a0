package name

import "orgd/domain/jsondoc"

// Read reads the name in the member field, of at most max code points, into
// dst. An absent member leaves dst as it is; a wrong one is recorded in r.
func Read(r *jsondoc.Reader, field string, dst *Name, max int) {
	v, ok := r.Raw(field)
	if !ok {
		return
	}
	if v.Kind() != jsondoc.KindString {
		var text string
		r.Text(field, &text, 0, max) // says what is wrong
		return
	}
	n, err := ParseMax(v.Text(), max)
	if err != nil {
		r.Fail(field, "%s", err)
		return
	}
	*dst = n
}
