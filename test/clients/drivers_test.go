package clients

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// driver is a program that does with a client what it reads on standard input.
type driver struct {
	name string
	// command is how it is started. It skips the test if its language is not there.
	command func(t *testing.T) []string
}

var drivers = []driver{
	{"go", func(*testing.T) []string { return []string{goDriver} }},
	{"python", pythonDriver},
	{"typescript", typescriptDriver},
}

// answerWait is how long a driver may take for an answer.
const answerWait = 30 * time.Second

// running is a driver that runs.
type running struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan map[string]any // closed when the driver has ended
	unread  int                 // answers to what was only sent
	ended   bool
}

// start starts a driver. It ends with the test.
func start(t *testing.T, command []string) *running {
	t.Helper()
	r := &running{cmd: exec.Command(command[0], command[1:]...), answers: make(chan map[string]any, 100)}
	r.cmd.Stderr = os.Stderr
	r.cmd.Env = append(os.Environ(), "ORGD_SERVER=", "ORGD_TOKEN=", "ORGD_TOKEN_FILE=")
	in, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.in = in
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.answers)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			answer := map[string]any{}
			if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
				answer["failed"] = fmt.Sprintf("%q: %v", lines.Text(), err)
			}
			r.answers <- answer
		}
	}()
	t.Cleanup(r.kill)
	return r
}

// send sends a command. Its answer is not waited for.
func (r *running) send(command map[string]any) error {
	line, err := json.Marshal(command)
	if err != nil {
		return err
	}
	r.unread++
	_, err = r.in.Write(append(line, '\n'))
	return err
}

// do sends a command and returns the answer.
func (r *running) do(command map[string]any) (map[string]any, error) {
	if err := r.send(command); err != nil {
		return nil, err
	}
	var answer map[string]any
	for deadline := time.After(answerWait); r.unread > 0; r.unread-- {
		var ok bool
		select {
		case answer, ok = <-r.answers:
			if !ok {
				return nil, fmt.Errorf("the driver has ended")
			}
		case <-deadline:
			return nil, fmt.Errorf("no answer within %s", answerWait)
		}
	}
	return answer, nil
}

// kill ends the driver at once. It may be called more than once.
func (r *running) kill() {
	if r.ended {
		return
	}
	r.ended = true
	_ = r.cmd.Process.Kill() // fails only if it has ended
	for range r.answers {
	}
	_ = r.cmd.Wait()
}

// leave has the driver end by itself, as its input ends.
func (r *running) leave(t *testing.T) {
	t.Helper()
	r.ended = true
	r.in.Close()
	late := time.AfterFunc(answerWait, func() { _ = r.cmd.Process.Kill() })
	for range r.answers {
	}
	if err := r.cmd.Wait(); err != nil || !late.Stop() {
		t.Errorf("the driver does not end in good order: %v", err)
	}
}
