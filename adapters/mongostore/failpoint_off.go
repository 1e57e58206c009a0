//go:build !failpoints

package mongostore

// failpointHook is nil: nothing stops this build.
func failpointHook() func(string) error { return nil }
