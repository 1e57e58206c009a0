// Package owned labels what tests make in Docker with the process that needs it,
// so that later runs can remove what a killed one has left:
//
//	docker ps --all --quiet --filter label=orgd.test
package owned

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Label is the key. It is on containers, networks and volumes.
const Label = "orgd.test"

// Value is the value for this process: its machine, its id and its start.
func Value() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), started(os.Getpid()))
}

// Flag is the flag of docker run and docker create that sets the label.
func Flag() string { return "--label=" + Label + "=" + Value() }

// Left reports whether value is that of a process of this machine that has ended.
func Left(value string) bool {
	rest, ours := strings.CutPrefix(value, strings.SplitAfter(Value(), "/")[0])
	var pid int
	var start string
	if n, _ := fmt.Sscanf(rest, "%d/%s", &pid, &start); !ours || n == 0 {
		return false
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || started(pid) != start
}

// started tells processes apart that have the same id one after the other: the
// start in ticks since the system's own, on Linux. Elsewhere it is empty.
func started(pid int) string {
	const field = 22 - 3 // in proc_pid_stat(5), counted behind the name
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= field {
		return ""
	}
	return string(fields[field])
}
