// Package owned labels what tests make in Docker with the process that needs it,
// and removes what processes have left that were killed.
package owned

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"orgd/test/process"
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

// RemoveLeft removes what has the labels of processes that have ended.
func RemoveLeft() error { return remove(left) }

// RemoveOurs removes what has the label of this process.
func RemoveOurs() error { return remove(func(value string) bool { return value == Value() }) }

// kinds are listed and removed in this order: what a container uses cannot be removed.
var kinds = []struct{ list, remove []string }{
	{[]string{"ps", "--all", "--no-trunc", "--format={{.ID}} {{.Label \"" + Label + "\"}}"}, []string{"rm", "--force", "--volumes"}},
	{[]string{"network", "ls", "--format={{.ID}} {{.Label \"" + Label + "\"}}"}, []string{"network", "rm"}},
	{[]string{"volume", "ls", "--format={{.Name}} {{.Label \"" + Label + "\"}}"}, []string{"volume", "rm"}},
}

// remove removes what has a label with a value that is chosen.
func remove(chosen func(value string) bool) error {
	var errs []error
	for _, k := range kinds {
		all, err := docker(append(k.list, "--filter=label="+Label)...)
		errs = append(errs, err)
		for line := range strings.Lines(all) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			if chosen(value) {
				_, err := docker(append(k.remove, name)...)
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

func docker(args ...string) (string, error) {
	out, err := process.Output(exec.Command("docker", args...))
	if err != nil {
		return "", fmt.Errorf("docker %s: %w", args[0], err)
	}
	return out, nil
}

// left reports whether value is that of a process of this machine that has ended.
func left(value string) bool {
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
