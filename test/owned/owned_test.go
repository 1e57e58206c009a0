package owned

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

func TestLeft(t *testing.T) {
	host, _ := os.Hostname()
	child := exec.Command("go", "version")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	for what, tc := range map[string]struct {
		value string
		want  bool
	}{
		"this process":       {Value(), false},
		"one that has ended": {fmt.Sprintf("%s/%d/5", host, child.Process.Pid), true},
		"one of the same id": {fmt.Sprintf("%s/%d/5", host, os.Getpid()), true},
		"another machine's":  {fmt.Sprintf("not-%s/%d/5", host, child.Process.Pid), false},
		"somebody else's":    {"true", false},
	} {
		if got := left(tc.value); got != tc.want {
			t.Errorf("left(%q) = %t for %s, want %t", tc.value, got, what, tc.want)
		}
	}
}
