// Package failpoint has the points at which a binary built with the tag failpoints kills itself.
package failpoint
