package redisserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"orgd/test/process"
)

// StartCluster runs three nodes that share the slots, and returns their addresses.
func StartCluster(t testing.TB) []string {
	t.Helper()
	var addrs []string
	var nodes []*redis.Client
	for range 3 {
		s := Start(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-port", Port(process.FreeAddr(t)))
		addrs, nodes = append(addrs, s.Addr), append(nodes, Admin(t, s.Addr))
	}
	for i, node := range nodes {
		Do(t, node, fmt.Sprintf("CLUSTER ADDSLOTSRANGE %d %d", i*16384/3, (i+1)*16384/3-1))
		Do(t, node, fmt.Sprintf("CLUSTER MEET 127.0.0.1 %s %d", Port(addrs[0]), busPort(t, nodes[0])))
	}
	for _, node := range nodes {
		awaitCluster(t, node)
	}
	return addrs
}

// awaitCluster waits until a node knows the others and all slots.
func awaitCluster(t testing.TB, node *redis.Client) {
	t.Helper()
	for end := time.Now().Add(2 * patience); ; time.Sleep(20 * time.Millisecond) {
		info := Do(t, node, "CLUSTER INFO").(string)
		if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the cluster is not ready: %s", info)
		}
	}
}

// busPort is where a node listens for the other nodes.
func busPort(t testing.TB, node *redis.Client) int {
	t.Helper()
	var port int
	line := Do(t, node, "CLUSTER NODES").(string) // ID HOST:PORT@BUSPORT ...
	if _, err := fmt.Sscanf(line[strings.Index(line, "@")+1:], "%d", &port); err != nil {
		t.Fatalf("the port of the cluster's bus in %q: %v", line, err)
	}
	return port
}
