package terminal

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Edit opens a file in the user's editor and waits until it ends.
func (t *Terminal) Edit(ctx context.Context, file string) error {
	editor := cmp.Or(t.Getenv("VISUAL"), t.Getenv("EDITOR"), "vi")
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file) // it may have arguments
	cmd.Stdout, cmd.Stderr = t.Stdout, t.Stderr
	if keyboard, ok := t.keyboard(); ok {
		cmd.Stdin = keyboard
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s: %w", editor, err)
	}
	return nil
}

// keyboard returns the file that standard input is, if it is one.
func (t *Terminal) keyboard() (*os.File, bool) {
	from := t.Stdin
	if in, ok := from.(input); ok {
		from = in.from
	}
	f, ok := from.(*os.File)
	return f, ok
}
