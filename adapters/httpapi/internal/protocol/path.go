package protocol

import "strings"

// UnescapeUnreserved decodes the escapes of a path that stand for unreserved
// characters (RFC 3986, section 6.2.2.2): "%76ersions" is the same path as
// "versions". Every other escape stays, "%2F" above all.
func UnescapeUnreserved(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if c := unhex(path[i+1])<<4 | unhex(path[i+2]); isUnreserved(c) {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// unhex returns the value of a hex digit; net/http has refused anything else.
func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	default:
		return c - '0'
	}
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// HasEmptySegment reports a path such as /agents//versions, which the router
// would match with an empty parameter, or one that ends in a slash, as the root may.
func HasEmptySegment(path string) bool {
	if path == "/" {
		return false
	}
	for i := range len(path) {
		if path[i] == '/' && (i+1 == len(path) || path[i+1] == '/') {
			return true
		}
	}
	return false
}
