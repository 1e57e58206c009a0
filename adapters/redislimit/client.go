package redislimit

import (
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// connections are what a process keeps to a Redis node: one for each lane,
	// one for leases, one for the watch.
	connections = lanes + 2
	// patience is how long a connection may take to be made, and what nobody
	// waits for may take.
	patience = 500 * time.Millisecond
	// idleTime closes connections before firewalls forget them.
	idleTime = 5 * time.Minute
	// buffer holds a batch of some requests each way; more take several reads.
	buffer = 8 << 10
	// never is how the library spells no retry, no pause and no second pool.
	never = -1
)

// link is the way to Redis. It can be replaced by a new one to the same place.
type link struct {
	options *redis.UniversalOptions
	current atomic.Pointer[redis.UniversalClient]
}

// newLink reads the files that cfg names and connects to nothing yet.
func newLink(cfg Config) (*link, error) {
	options, err := cfg.options()
	if err != nil {
		return nil, err
	}
	// The library writes what it also returns as errors to standard error. That
	// can be switched off for the whole process only.
	logging.Disable()
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
func (c Config) options() (*redis.UniversalOptions, error) {
	t, err := c.target()
	if err != nil {
		return nil, err
	}
	tls, err := c.tlsConfig(t)
	if err != nil {
		return nil, err
	}
	return &redis.UniversalOptions{
		Addrs:            t.addrs,
		MasterName:       c.MasterName,
		IsClusterMode:    t.cluster,
		DB:               t.db,
		Username:         c.Username,
		Password:         c.Password,
		SentinelUsername: c.SentinelUsername,
		SentinelPassword: c.SentinelPassword,
		TLSConfig:        tls,

		Protocol:                 2, // nothing of the third is used, and its pushes cost reads
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},

		MaxRetries:            never,
		MinRetryBackoff:       never,
		MaxRetryBackoff:       never,
		MaxRedirects:          1, // follows a slot that has moved
		DialerRetries:         1,
		DialTimeout:           patience,
		ReadTimeout:           patience,
		WriteTimeout:          patience,
		PoolTimeout:           patience,
		ContextTimeoutEnabled: true,

		PoolSize:         connections,
		PipelinePoolSize: never,
		ConnMaxIdleTime:  idleTime,
		ReadBufferSize:   buffer,
		WriteBufferSize:  buffer,
	}, nil
}
