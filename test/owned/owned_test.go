package owned

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestLeft(t *testing.T) {
	host, _ := os.Hostname()
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	for what, tc := range map[string]struct {
		value string
		want  bool
	}{
		"this process":       {Value(), false},
		"one that has ended": {fmt.Sprintf("%s/%d/5", host, child.Process.Pid), true},
		"its id again":       {strings.Replace(Value(), "/"+started(os.Getpid()), "/5", 1), started(os.Getpid()) != ""},
		"another machine":    {"elsewhere/" + fmt.Sprint(child.Process.Pid) + "/5", false},
		"somebody else's":    {"true", false},
	} {
		if got := Left(tc.value); got != tc.want && what != "its id again" || what == "its id again" && tc.want && !got {
			t.Errorf("Left(%q) = %t for %s, want %t", tc.value, got, what, tc.want)
		}
	}
}
