// Package loopback tells which names only ever mean this machine.
package loopback

import (
	"net/netip"
	"strings"
)

// IsHost reports whether a host, without a port, is localhost or a loopback
// address, in brackets or not.
func IsHost(host string) bool {
	at, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && at.Unmap().WithZone("").IsLoopback()
}
