package jsondoc

// Differences calls found for each field in which two objects differ, in the order of the
// canonical form. Objects are walked, everything else is compared whole. path leads to the
// field, one name a step, and is for the call only; was and is are the texts of the field,
// "" where it is not there. Both texts must be canonical, as [Value.Append] and [Writer]
// make them: they are not checked.
func Differences(before, after string, found func(path []string, was, is string)) {
	if before != after {
		differ(nil, Value{before, KindObject}, Value{after, KindObject}, found)
	}
}

func differ(path []string, before, after Value, found func([]string, string, string)) {
	was, is := before.parts(), after.parts()
	less, more := was.next(), is.next()
	for less || more {
		switch order := compareParts(&was, &is, less, more); {
		case order < 0:
			found(append(path, was.name()), was.raw(), "")
			less = was.next()
		case order > 0:
			found(append(path, is.name()), "", is.raw())
			more = is.next()
		default:
			differPart(path, &was, &is, found)
			begin := was.end
			less = was.next()
			more = less && is.repeats(was, begin) || is.next()
		}
	}
}

// compareParts says which of two parts comes first; one that is not there comes last.
func compareParts(was, is *parts, hasWas, hasIs bool) int {
	switch {
	case !hasWas:
		return 1
	case !hasIs:
		return -1
	}
	return compareNames(was.name(), is.name())
}

// differPart compares two parts of one name.
func differPart(path []string, was, is *parts, found func([]string, string, string)) {
	a, b := was.raw(), is.raw()
	switch {
	case a == b:
	case a[0] == '{' && b[0] == '{':
		differ(append(path, is.name()), Value{a, KindObject}, Value{b, KindObject}, found)
	default:
		found(append(path, is.name()), a, b)
	}
}
