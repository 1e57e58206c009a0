package jsondoc

// Require reports every one of the members that is absent. Members that are
// there, even wrong ones, are not its business.
func (r *Reader) Require(names ...string) {
	for _, name := range names {
		if !r.Has(name) {
			r.Fail(name, "is required")
		}
	}
}
