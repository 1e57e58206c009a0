package redisnotify

import (
	"time"

	"go.uber.org/zap"
)

// condition is that of one way through Redis. Its changes are logged.
type condition struct {
	log   *zap.Logger
	pause time.Duration // before the next try; 0 while it works
}

func (c *condition) works() {
	if c.pause > 0 {
		c.log.Info("replicas are told of news through Redis again")
	}
	c.pause = 0
}

// fails returns how long to wait before the next try.
func (c *condition) fails(err error) time.Duration {
	if c.pause == 0 {
		c.log.Warn("replicas are not told of news through Redis; they look for themselves", zap.Error(err))
	}
	c.pause = min(max(2*c.pause, firstPause), lastPause)
	return c.pause
}
