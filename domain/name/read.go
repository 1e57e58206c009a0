package name

import "orgd/domain/jsondoc"

// Read reads the name in the member field, of at most max code points, into
// dst. An absent member leaves dst as it is; a wrong one is recorded in r.
func Read(r *jsondoc.Reader, field string, dst *Name, max int) {
	var text string
	// The reader's own bound is generous: length counts after cleaning.
	if r.Text(field, &text, 0, 16*max); !r.Has(field) || r.Null(field) {
		return
	}
	n, err := ParseMax(text, max)
	if err != nil {
		r.Fail(field, "%s", err)
		return
	}
	*dst = n
}
