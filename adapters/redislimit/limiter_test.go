package redislimit

import (
	"testing"

	"orgd/ports"
	"orgd/ports/portstest"
)

func TestLimiter(t *testing.T) {
	addr := sharedRedis(t)
	portstest.Limiter(t, func(t *testing.T) ports.Limiter { return openShared(t, config(addr), usualTiming()).Limiter })
}
