package webhook

import (
	"testing"
	"time"

	"orgd/domain/domaintest"
)

const hookID = "0190a1b2-0000-7000-8000-00000000000a"

var dawn = time.Date(2026, 1, 31, 23, 59, 59, 999e6, time.UTC)

func after(ms int) time.Time { return dawn.Add(time.Duration(ms) * time.Millisecond) }

func patch(t testing.TB, text string) Patch {
	t.Helper()
	return domaintest.Read(t, ParsePatch, text)
}

// secret is a secret whose bytes are all n.
func secret(n byte) (s Secret) {
	for i := range s {
		s[i] = n
	}
	return s
}

// start makes a webhook at place 7 of the log, with more members given as JSON
// text.
func start(t testing.TB, more string) Webhook {
	t.Helper()
	if more != "" {
		more = "," + more
	}
	p, err := ParseNew(domaintest.JSON(t, `{"url":"https://example.com/hook"`+more+`}`))
	if err != nil {
		t.Fatalf("ParseNew(%s) = %v", more, err)
	}
	w, err := New(hookID, p, secret(1), 7, dawn)
	if err != nil {
		t.Fatalf("New(%s) = %v", more, err)
	}
	return w
}
