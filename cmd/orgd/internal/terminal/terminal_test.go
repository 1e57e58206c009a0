package terminal

import "testing"

func TestVisible(t *testing.T) {
	if got := Visible("a\tb\x1b[2J\u202e\nö\u0085\xff"); got != "a\tb"+`\x1b[2J\u202e\nö\u0085�` {
		t.Errorf("Visible = %q", got)
	}
}
