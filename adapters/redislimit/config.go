package redislimit

import (
	"errors"
	"time"

	"orgd/adapters/redisconn"
	"orgd/adapters/settings"
)

// Bounds of a [Config].
const (
	minTimeout = 5 * time.Millisecond
	maxTimeout = time.Second
)

// Config says where Redis is and how it is used. Start from [Default].
type Config struct {
	redisconn.Config
	Timeout time.Duration `name:"redis-timeout" placeholder:"TIME" help:"How long a request may wait for Redis, 5ms to 1s."`
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
	var m settings.Mistakes
	m.Unless(c.Timeout >= minTimeout && c.Timeout <= maxTimeout, "redis-timeout", "must be %v to %v", minTimeout, maxTimeout)
	return errors.Join(c.Config.Validate(), m.Err())
}
