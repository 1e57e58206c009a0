package integration

import (
	"fmt"
	"testing"

	"orgd/test/apitest"
	"orgd/test/faultproxy"
	"orgd/test/mongoserver"
)

// TestReplicas runs the suite of the interface on replicas.
func TestReplicas(t *testing.T) {
	needServers(t)
	t.Parallel()
	apitest.Run(t, func(t *testing.T) *apitest.Service {
		return startClean(t, "--webhook-allow-http", "--webhook-allow-private")
	})
}

func TestReplicasPublicWebhooks(t *testing.T) {
	needServers(t)
	t.Parallel()
	apitest.RunPublicWebhooks(t, startClean(t))
}

// TestReplicasLimits wants the limits to hold over all replicas together.
func TestReplicasLimits(t *testing.T) {
	needServers(t)
	t.Parallel()
	apitest.RunLimits(t, func(t *testing.T, caps *apitest.Caps) *apitest.Service {
		return startClean(t, limitFlags(caps)...)
	})
}

// limitFlags are the flags of `orgd serve` for these limits, or for the default
// ones.
func limitFlags(caps *apitest.Caps) []string {
	if caps == nil {
		return []string{"--limits", "on"}
	}
	rates := map[string]apitest.Rate{"address": caps.Address, "auth-failures": caps.AuthFailures, "subject": caps.Subject}
	for name, r := range caps.Operations {
		rates[name] = r
	}
	var flags []string
	for name, r := range rates {
		if r.Cap > 0 {
			flags = append(flags, "--limit", fmt.Sprintf("%s=%d/%s", name, r.Cap, r.Length))
		}
	}
	for name, n := range caps.Slots {
		flags = append(flags, "--limit-at-once", fmt.Sprintf("%s=%d", name, n))
	}
	return flags
}

// TestReplicasOutage cuts all replicas off from MongoDB.
func TestReplicasOutage(t *testing.T) {
	needServers(t)
	t.Parallel()
	way := faultproxy.Start(t, mongoserver.Primary(t, mongoURI))
	s, _ := start(t, mongoserver.Through(t, mongoURI, way.Addr()), "--mongo-operation-timeout", "2s", "--limits", "on", "--webhook-allow-http", "--webhook-allow-private")
	apitest.RunOutage(t, s, way.Cut)
}
