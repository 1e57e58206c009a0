package sqlitestore

import (
	"errors"
	"fmt"

	"orgd/adapters/telemetry"
)

// Config says where the embedded store keeps its data and how it reads it.
type Config struct {
	// Dir is the data directory. It is created with mode 0700 if it is missing.
	// One process at a time may use it.
	Dir string
	// Readers is how many reads run at once, 1 to 64. Each has a connection
	// with a page cache of its own (up to 2 MiB).
	Readers int
	// Observer measures what the store does.
	Observer telemetry.Observer
}

// Default returns the configuration for a laptop and a small server.
func Default() Config { return Config{Dir: "data", Readers: 8} }

// maxReaders bounds the memory that the page caches may take.
const maxReaders = 64

// Validate reports every mistake, under the names of the command line.
func (c Config) Validate() error {
	var errs []error
	if c.Dir == "" {
		errs = append(errs, errors.New("--data-dir: must not be empty"))
	}
	if c.Readers < 1 || c.Readers > maxReaders {
		errs = append(errs, fmt.Errorf("--readers: must be 1 to %d", maxReaders))
	}
	return errors.Join(errs...)
}
