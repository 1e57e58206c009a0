package redislimit

import (
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

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
	options, err := cfg.options(timeout)
	if err != nil {
		return nil, err
	}
	k := &link{options: options}
	client := redis.NewUniversalClient(options)
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
func (c Config) options(timeout time.Duration) (*redis.UniversalOptions, error) {
	options, err := c.Config.Options()
	if err != nil {
		return nil, err
	}
	options.PoolSize = connections
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = timeout, timeout, timeout, timeout
	options.ReadBufferSize, options.WriteBufferSize = buffer, buffer
	return options, nil
}
