package redisconn

import (
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// DialTimeout is how long a connection may take to be made, and what nobody
	// waits for may take.
	DialTimeout = 500 * time.Millisecond
	// idleTime closes connections before firewalls forget them.
	idleTime = 5 * time.Minute
	// Never is how the library spells no retry, no pause and no second pool.
	Never = -1
)

// Options are those of a client that tries nothing again by itself. They read the
// files that c names. As a method, Options would bring the library into every package
// that has a Config: the compiler writes the types of all methods there.
func Options(c Config) (*redis.UniversalOptions, error) {
	t, err := c.target()
	if err != nil {
		return nil, err
	}
	tls, err := c.tlsConfig(t)
	if err != nil {
		return nil, err
	}
	// The library writes what it also returns as errors to standard error. That
	// can be switched off for the whole process only.
	logging.Disable()
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

		MaxRetries:            Never,
		MinRetryBackoff:       Never,
		MaxRetryBackoff:       Never,
		MaxRedirects:          1, // follows a slot that has moved
		DialerRetries:         1,
		DialTimeout:           DialTimeout,
		ReadTimeout:           DialTimeout,
		WriteTimeout:          DialTimeout,
		PoolTimeout:           DialTimeout,
		ContextTimeoutEnabled: true,

		ConnMaxIdleTime: idleTime,
	}, nil
}
