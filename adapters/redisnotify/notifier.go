// Package redisnotify tells replicas through Redis that something has come so
// far: that a log has a new page. Redis keeps nothing of it. What is said while
// Redis is lost is not heard, so whoever listens also looks by himself.
package redisnotify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"orgd/adapters/redisconn"
	"orgd/domain/fault"
)

const (
	// connections bounds what a process keeps to a Redis node beside the one that
	// it listens on.
	connections = 2
	// firstPause and lastPause space the tries to use a Redis that is lost, or
	// that refuses.
	firstPause = time.Second / 4
	lastPause  = 8 * time.Second
	// silence is how long nothing may come before Redis is asked whether it is
	// still there; as long again may the answer take.
	silence = 2 * time.Second
)

// Notifier says numbers to all replicas and hears what they say, itself included.
// It is safe for concurrent use.
type Notifier struct {
	client  redis.UniversalClient
	channel string
	heard   func(int64)
	log     *zap.Logger

	latest  atomic.Int64
	pending chan struct{} // has an element if latest is to be said

	life    context.Context // ends when the notifier is closed
	end     context.CancelFunc
	running sync.WaitGroup
}

// Open returns a notifier that calls heard with every number that any replica
// says; heard must not block. A Redis that cannot be reached is tried again and
// again; an error means a mistake in cfg. The returned function ends it.
func Open(cfg redisconn.Config, heard func(int64), log *zap.Logger) (*Notifier, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	options, err := cfg.Options()
	if err != nil {
		return nil, nil, err
	}
	options.PoolSize = connections
	n := &Notifier{
		client: redis.NewUniversalClient(options), channel: cfg.Prefix + ":log", heard: heard, log: log,
		pending: make(chan struct{}, 1),
	}
	n.life, n.end = context.WithCancel(context.Background())
	n.background("say", n.speak)
	n.background("listen", n.listen)
	return n, n.close, nil
}

func (n *Notifier) close() {
	n.end()
	n.running.Wait()
	if err := n.client.Close(); err != nil {
		n.log.Warn("redisnotify: close", zap.Error(err))
	}
}

// Say tells a number to all replicas, soon. It does not wait for that; of several
// numbers the greatest is enough.
func (n *Notifier) Say(number int64) {
	for {
		latest := n.latest.Load()
		if number <= latest {
			return
		}
		if n.latest.CompareAndSwap(latest, number) {
			break
		}
	}
	select {
	case n.pending <- struct{}{}:
	default:
	}
}

// background does turns of work until the notifier is closed. A panic ends a
// turn, not the server.
func (n *Notifier) background(what string, turn func(*condition) error) {
	c := &condition{log: n.log.With(zap.String("what", what))}
	n.running.Go(func() {
		for n.life.Err() == nil {
			err := once(turn, c)
			if err == nil || n.life.Err() != nil {
				continue
			}
			t := time.NewTimer(c.fails(err))
			select {
			case <-t.C:
			case <-n.life.Done():
				t.Stop()
			}
		}
	})
}

func once(turn func(*condition) error, c *condition) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("redisnotify: panic: %s\n%s", fault.PanicText(v), debug.Stack())
		}
	}()
	return turn(c)
}

// speak says one number. One that cannot be said is dropped: what comes after it
// says more, and who listens looks by himself.
func (n *Notifier) speak(c *condition) error {
	select {
	case <-n.pending:
	case <-n.life.Done():
		return nil
	}
	ctx, cancel := context.WithTimeout(n.life, redisconn.Patience)
	defer cancel()
	if err := n.client.Publish(ctx, n.channel, n.latest.Load()).Err(); err != nil {
		return fmt.Errorf("redisnotify: publish: %w", err)
	}
	c.works()
	return nil
}

// listen hears what is said until the connection is lost.
func (n *Notifier) listen(c *condition) error {
	sub := n.client.Subscribe(n.life, n.channel)
	defer sub.Close() // the connection is of no use any more
	defer context.AfterFunc(n.life, func() { sub.Close() })()
	for asked := false; ; {
		said, err := sub.ReceiveTimeout(n.life, silence)
		switch {
		case n.life.Err() != nil:
			return nil
		case isTimeout(err) && !asked:
			if err := sub.Ping(n.life); err != nil {
				return fmt.Errorf("redisnotify: ask for a sign of life: %w", err)
			}
			asked = true
			continue
		case err != nil:
			return fmt.Errorf("redisnotify: listen: %w", err)
		}
		asked = false
		c.works()
		n.hear(said)
	}
}

// hear hands on what is a number. Anybody may write to the channel.
func (n *Notifier) hear(said any) {
	m, ok := said.(*redis.Message)
	if !ok {
		return
	}
	if number, err := strconv.ParseInt(m.Payload, 10, 64); err == nil {
		n.heard(number)
	}
}

// isTimeout reports that nothing has come.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
