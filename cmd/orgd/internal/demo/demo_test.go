package demo

import (
	"net"
	"testing"
)

// The demo takes a free port if the usual one is in use and none is asked for.
func TestDemoBesideAnotherService(t *testing.T) {
	if usual, err := net.Listen("tcp", "127.0.0.1:8080"); err == nil {
		defer usual.Close()
	} // else another process has it
	cfg, err := (&Demo{Addr: "127.0.0.1:8080", Dir: "demo"}).configuration(nil)
	if err != nil || cfg.HTTP.Addr != "127.0.0.1:0" {
		t.Errorf("configuration beside another service = %s, %v, want a free port", cfg.HTTP.Addr, err)
	}
}
