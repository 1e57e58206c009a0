package name

import "strings"

// pathsBelow lists what follows the name of an agent or of a department in the paths of the
// interface, also of what it will have. "*" is any segment.
var pathsBelow = [][]string{
	{"activity"},
	{"ceremony-policy"},
	{"ceremony-policy", "resolved"},
	{"days"},
	{"health"},
	{"history"},
	{"labels"},
	{"labels", "*"},
	{"labels", "*", "history"},
	{"performance"},
	{"proposals"},
	{"reorder-agents"},
	{"restore"},
	{"versions"},
	{"versions", "*"},
	{"versions", "*", "evaluations"},
	{"versions", "*", "performance"},
}

// CheckNew returns an occurrence of [ErrInvalid] for a name that nothing new may have. A
// proxy that decodes %2F would make the path of "Eng/health" that of the health of "Eng". What
// has such a name already keeps it. field is where the name was given.
func (n Name) CheckNew(field string) error {
	segments := strings.Split(string(n.Key), "/") // the key: paths find names in any spelling
	for i := 1; i < len(segments); i++ {
		for _, path := range pathsBelow {
			if isPath(segments[i:], path) {
				return ErrInvalid.At(field, "the name must not end in %q, which is a path below a name", "/"+strings.Join(segments[i:], "/"))
			}
		}
	}
	return nil
}

func isPath(segments, path []string) bool {
	if len(segments) != len(path) {
		return false
	}
	for i, word := range path {
		if segments[i] != word && (word != "*" || segments[i] == "") {
			return false
		}
	}
	return true
}
