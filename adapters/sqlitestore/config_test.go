package sqlitestore

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/zap"
)

func TestOpenReportsConfiguration(t *testing.T) {
	_, _, err := Open(context.Background(), Config{Readers: 65}, zap.NewNop())
	for _, want := range []string{"--data-dir: must not be empty", "--readers: must be 1 to 64"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open = %v, want %q", err, want)
		}
	}
	if err := Default().Validate(); err != nil {
		t.Errorf("Default().Validate() = %v", err)
	}
}
