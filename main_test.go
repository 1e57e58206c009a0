package orgd

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite the golden files in testdata")
	goleak.VerifyTestMain(m)
}
