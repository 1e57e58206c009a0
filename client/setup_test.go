package client_test

import (
	"context"
	"flag"
	"net"
	"net/http"
	"os"
	"testing"
)

// exampleAddr is where the service of the examples seems to be.
const exampleAddr = "127.0.0.1:8080"

// TestMain runs the examples if ORGD_TEST_EXAMPLES says at which address an empty service is
// that ORGD_TOKEN is good for: the tests of the repository start one.
func TestMain(m *testing.M) {
	transport := http.DefaultTransport.(*http.Transport)
	dial := transport.DialContext
	service := os.Getenv("ORGD_TEST_EXAMPLES")
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == exampleAddr {
			addr = service
		}
		return dial(ctx, network, addr)
	}
	if service == "" {
		flag.Parse()
		skipped := "^Example"
		if given := flag.Lookup("test.skip").Value.String(); given != "" {
			skipped += "|" + given
		}
		if err := flag.Set("test.skip", skipped); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
