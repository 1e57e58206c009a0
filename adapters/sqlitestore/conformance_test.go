package sqlitestore

import (
	"testing"

	"orgd/ports/portstest"
)

func TestConformance(t *testing.T) {
	portstest.All(t, func(t *testing.T) portstest.Stores {
		return openOrg(t, t.TempDir()).db.Stores()
	})
}
