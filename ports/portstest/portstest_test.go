package portstest

import "testing"

// The suites hold for a store that keeps the promises in the dullest way, so
// they ask for nothing that only one store can do.
func TestMemory(t *testing.T) {
	All(t, func(*testing.T) Stores { return newMemory() })
}
