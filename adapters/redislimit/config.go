package redislimit

import (
	"errors"
	"fmt"
	"time"

	"orgd/adapters/redisconn"
)

// Bounds of a [Config].
const (
	minTimeout = 5 * time.Millisecond
	maxTimeout = time.Second
)

// Config says where Redis is and how it is used. Start from [Default].
type Config struct {
	redisconn.Config
	// Timeout is how long a request may wait for Redis, 5 ms to 1 s.
	Timeout time.Duration
	// Replicas is how many processes share the limits. Without Redis each admits
	// its part. Below 1 counts as 1.
	Replicas int
}

// Default returns a configuration that lacks nothing but addresses.
func Default() Config {
	return Config{Config: redisconn.Default(), Timeout: 50 * time.Millisecond, Replicas: 1}
}

// Validate reports every mistake, under the names of the command line. It
// repeats no address, because one may hold a password.
func (c Config) Validate() error {
	var timeout error
	if c.Timeout < minTimeout || c.Timeout > maxTimeout {
		timeout = fmt.Errorf("--redis-timeout: must be %v to %v", minTimeout, maxTimeout)
	}
	return errors.Join(c.Config.Validate(), timeout)
}
