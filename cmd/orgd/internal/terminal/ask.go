package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
	return t.ConfirmPlan(ctx, question, yes, nil)
}

// ConfirmPlan is Confirm with the answer p, which calls show and asks again, unless show
// is nil.
func (t *Terminal) ConfirmPlan(ctx context.Context, question string, yes bool, show func() error) error {
	if yes {
		return nil
	}
	if err := t.CanAsk(yes); err != nil {
		return err
	}
	choice := " [y/N] "
	if show != nil {
		choice = " [y/N, p: show the plan] "
		t.Stdin = bufio.NewReader(t.Stdin) // for the answer to the question after it
	}
	answer, err := t.ask(ctx, question+choice)
	if err != nil {
		return err
	}
	switch answer = strings.ToLower(strings.TrimSpace(answer)); {
	case answer == "y" || answer == "yes":
		return nil
	case answer == "p" && show != nil:
		if err := show(); err != nil {
			return err
		}
		return t.ConfirmPlan(ctx, question, yes, show)
	}
	return ErrDeclined
}

// AskSecret asks for a line that does not appear on the terminal.
func (t *Terminal) AskSecret(ctx context.Context, question string) (string, error) {
	keyboard, ok := t.keyboard()
	if !ok {
		return t.ask(ctx, question)
	}
	fd := int(keyboard.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(t.Stderr, visibleLines(question))
	secret, err := await(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	fmt.Fprintln(t.Stderr)
	if ctx.Err() != nil {
		err = errors.Join(err, term.Restore(fd, before))
	}
	return string(secret), err
}

// ask asks for a line.
func (t *Terminal) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(t.Stderr, visibleLines(question))
	line, err := bufio.NewReader(t.Stdin).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if ctx.Err() != nil {
		fmt.Fprintln(t.Stderr)
	}
	return strings.TrimRight(line, "\r\n"), err
}

// input is standard input. Its reads fail as soon as a context ends.
type input struct {
	ctx  context.Context
	from io.Reader
}

// EndInputWith makes reads from standard input fail as soon as ctx ends.
func (t *Terminal) EndInputWith(ctx context.Context) { t.Stdin = input{ctx, t.Stdin} }

// maxRead bounds one read, in bytes: as much as a pipe holds.
const maxRead = 64 << 10

// Read implements io.Reader.
func (i input) Read(p []byte) (int, error) {
	part := make([]byte, min(len(p), maxRead)) // a read that goes on must not write to p
	n, err := await(i.ctx, func() (int, error) { return i.from.Read(part) })
	return copy(p, part[:n]), err
}

// await returns what read returns, or an error as soon as ctx ends. Then read goes on in
// the background.
func await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	go func() {
		value, err := read()
		results <- result{value, err}
	}()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
