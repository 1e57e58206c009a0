package sqlitestore

import (
	"testing"

	"orgd/ports/portstest"
)

func TestArchive(t *testing.T) {
	open := func(t *testing.T) portstest.Stores { return openOrg(t, t.TempDir()).db.Stores() }
	portstest.Archive(t, open, open)
}
