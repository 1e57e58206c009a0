package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// MaxSecret bounds a token that is read, in bytes.
const MaxSecret = 64 << 10

// ErrDeclined is the answer no.
var ErrDeclined = errors.New("nothing was changed")

// CanAsk returns a usage error if --yes is not given and standard input is not a
// terminal. A command calls it before it begins.
func (t *Terminal) CanAsk(yes bool) error {
	if !yes && !t.Interactive {
		return Usagef("--yes: is needed where nobody can be asked, because standard input is not a terminal")
	}
	return nil
}

// Confirm asks a question, unless --yes is given. It returns nil for yes and
// [ErrDeclined] for every other answer.
func (t *Terminal) Confirm(ctx context.Context, question string, yes bool) error {
	if yes {
		return nil
	}
	if err := t.CanAsk(yes); err != nil {
		return err
	}
	answer, err := t.ask(ctx, question+" [y/N] ")
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return ErrDeclined
}

// AskSecret asks for a line that does not appear on the terminal.
func (t *Terminal) AskSecret(ctx context.Context, question string) (string, error) {
	terminal, ok := t.Stdin.(*os.File)
	if !ok {
		return t.ask(ctx, question)
	}
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	return t.answer(ctx, question, func() (string, error) {
		secret, err := term.ReadPassword(fd)
		fmt.Fprintln(t.Stderr)
		return string(secret), err
	}, func() error { return term.Restore(fd, before) })
}

// ask asks for a line.
func (t *Terminal) ask(ctx context.Context, question string) (string, error) {
	return t.answer(ctx, question, func() (string, error) {
		line, err := bufio.NewReader(t.Stdin).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return strings.TrimRight(line, "\r\n"), err
	}, func() error { return nil })
}

// answer returns what read returns, or an error as soon as ctx ends. Then read
// goes on in the background, and restore resets the terminal.
func (t *Terminal) answer(ctx context.Context, question string, read func() (string, error), restore func() error) (string, error) {
	type line struct {
		text string
		err  error
	}
	fmt.Fprint(t.Stderr, question)
	lines := make(chan line, 1)
	go func() {
		text, err := read()
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		return l.text, l.err
	case <-ctx.Done():
		fmt.Fprintln(t.Stderr)
		return "", errors.Join(ctx.Err(), restore())
	}
}
