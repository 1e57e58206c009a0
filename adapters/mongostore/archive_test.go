package mongostore

import (
	"testing"

	"orgd/ports/portstest"
)

func TestArchive(t *testing.T) {
	open := func(t *testing.T) portstest.Stores { return openTest(t).Stores() }
	portstest.Archive(t, open, open)
}
