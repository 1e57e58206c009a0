package sqlitestore

import (
	"orgd/adapters/settings"
	"orgd/adapters/telemetry"
)

// Config says where the embedded store keeps its data and how it reads it.
type Config struct {
	// Dir is the data directory. It is created with mode 0700 if it is missing.
	// One process at a time may use it.
	Dir string `name:"data-dir" placeholder:"DIR" help:"Data directory: database, keys, first token."`
	// Readers is how many reads run at once, 1 to 64. Each has a connection
	// with a page cache of its own (up to 2 MiB).
	Readers int `name:"readers" placeholder:"N" help:"How many reads run at once on the data directory, 1 to 64."`
	// Observer measures what the store does.
	Observer telemetry.Observer
}

// Default returns the configuration for a laptop and a small server.
func Default() Config { return Config{Dir: "data", Readers: 8} }

// maxReaders bounds the memory that the page caches may take.
const maxReaders = 64

// Validate reports every mistake, under the names of the command line.
func (c Config) Validate() error {
	var m settings.Mistakes
	m.Unless(c.Dir != "", "data-dir", "must not be empty")
	m.Unless(c.Readers >= 1 && c.Readers <= maxReaders, "readers", "must be 1 to %d", maxReaders)
	return m.Err()
}
