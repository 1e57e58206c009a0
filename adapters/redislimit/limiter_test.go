package redislimit

import (
	"testing"

	"orgd/ports"
	"orgd/ports/portstest"
	"orgd/test/redisserver"
)

func TestLimiter(t *testing.T) {
	addr := redisserver.Shared(t)
	portstest.Limiter(t, func(t *testing.T) ports.Limiter { return openShared(t, config(addr), patientTiming()).Limiter })
}
