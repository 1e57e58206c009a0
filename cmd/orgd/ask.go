package main

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

// maxSecret bounds a token that is read, in bytes.
const maxSecret = 64 << 10

// askSecret asks for a line that does not appear on the terminal.
func (p *process) askSecret(ctx context.Context, question string) (string, error) {
	terminal, ok := p.stdin.(*os.File)
	if !ok {
		return p.ask(ctx, question)
	}
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	return p.answer(ctx, question, func() (string, error) {
		secret, err := term.ReadPassword(fd)
		fmt.Fprintln(p.stderr)
		return string(secret), err
	}, func() error { return term.Restore(fd, before) })
}

// ask asks for a line.
func (p *process) ask(ctx context.Context, question string) (string, error) {
	return p.answer(ctx, question, func() (string, error) {
		line, err := bufio.NewReader(p.stdin).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return strings.TrimRight(line, "\r\n"), err
	}, func() error { return nil })
}

// answer waits for what read returns, unless ctx ends first: then whoever reads
// is left alone, and restore makes the terminal what it was.
func (p *process) answer(ctx context.Context, question string, read func() (string, error), restore func() error) (string, error) {
	type line struct {
		text string
		err  error
	}
	fmt.Fprint(p.stderr, question)
	lines := make(chan line, 1)
	go func() {
		text, err := read()
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		return l.text, l.err
	case <-ctx.Done():
		fmt.Fprintln(p.stderr)
		return "", errors.Join(ctx.Err(), restore())
	}
}
