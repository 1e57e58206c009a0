package protocol

import (
	"strconv"
	"strings"
)

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
			c, err := strconv.ParseUint(path[i+1:i+3], 16, 8)
			if err == nil && isUnreserved(byte(c)) {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// HasEmptySegment reports a path such as /agents//versions, which the router
// would match with an empty parameter, or one that ends in a slash, as the root may.
func HasEmptySegment(path string) bool {
	return path != "/" && (strings.Contains(path, "//") || strings.HasSuffix(path, "/"))
}
