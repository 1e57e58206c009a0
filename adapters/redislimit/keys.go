package redislimit

import (
	"crypto/sha256"
	"encoding/base64"
)

// The kinds of groups and of keys in a group.
const (
	ofAddress = "a"
	ofSubject = "s"
	aWindow   = "w"
	aSlot     = "s"
)

// tag is the part that all keys of a group begin with. What stands in braces
// decides about the place in a cluster, so a group lies on one node. Whatever
// clients can choose is hashed: it may be long, or hold braces.
func tag(prefix, kind, key string) string {
	return prefix + ":{" + kind + digest(key) + "}:"
}

// memberKey is the key of a window or a slot. Names come from the program. The
// key of a member is nearly always that of its group and then left out.
func memberKey(tag, kind, name, groupKey, key string) string {
	if key == groupKey {
		return tag + kind + ":" + name
	}
	return tag + kind + digest(key) + ":" + name
}

// digest is 22 characters of text that nobody finds a second key for.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}
