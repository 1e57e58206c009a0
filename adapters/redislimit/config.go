package redislimit

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

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

const (
	// connections are what a process keeps to a Redis node: one for each sender,
	// one for leases, one for the watch.
	connections = senders + 2
	// buffer holds a batch of some requests each way; more take several reads.
	buffer = 8 << 10
)

// link is the way to Redis. It can be replaced by a new one to the same place.
type link struct {
	options *redis.UniversalOptions
	current atomic.Pointer[redis.UniversalClient]
}

// newLink reads the files that cfg names and connects to nothing yet.
func newLink(cfg Config, timeout time.Duration) (*link, error) {
	o, err := options(cfg, timeout)
	if err != nil {
		return nil, err
	}
	k := &link{options: o}
	client := redis.NewUniversalClient(o)
	k.current.Store(&client)
	return k, nil
}

func (k *link) client() redis.UniversalClient { return *k.current.Load() }

// replace begins anew. Who is using the old connections gets errors.
func (k *link) replace() error {
	client := redis.NewUniversalClient(k.options)
	return (*k.current.Swap(&client)).Close()
}

func (k *link) close() error { return k.client().Close() }

// options are those of every client. Nothing is tried again: a late answer is
// worth less than the local limiter's at once.
func options(c Config, timeout time.Duration) (*redis.UniversalOptions, error) {
	o, err := redisconn.Options(c.Config)
	if err != nil {
		return nil, err
	}
	o.PoolSize = connections
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = timeout, timeout, timeout, timeout
	o.ReadBufferSize, o.WriteBufferSize = buffer, buffer
	return o, nil
}
