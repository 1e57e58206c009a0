// Package terminal is what a command sees of the world: standard input and output,
// questions, tables, progress, and how errors are printed.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// StdFile is the file name of standard input, and of standard output.
const StdFile = "-"

// Terminal has the input, the output and the environment of a command.
type Terminal struct {
	Getenv           func(string) string
	Stdin            io.Reader
	Stdout, Stderr   io.Writer
	Interactive      bool          // Stdin is a terminal
	StdoutIsTerminal bool          // Stdout is a terminal
	StderrIsTerminal bool          // Stderr is a terminal
	Colored          bool          // Stdout is a terminal that should have colours
	UserDir          string        // the user's directory for configuration, "" if unknown
	ConnectTimeout   time.Duration // for the connection to a service; 0 is a minute
	Verbose          bool          // lists are printed whole

	// Explain returns what is wrong and what to do, and all that is known of the
	// error, "" for no more. If it is nil, errors are printed with their own text.
	Explain func(error) (text, detail string)
}

// UsageError is a mistake on the command line or in the configuration.
type UsageError struct{ error }

// Usage makes err a [UsageError]. It returns nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}

// Usagef returns a [UsageError] with a text.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Interruption is the error of a command that ended early because its context
// ended. It says what has been done by then.
type Interruption string

// Error implements error.
func (i Interruption) Error() string { return "interrupted; " + string(i) }

// Is makes it a kind of context.Canceled.
func (Interruption) Is(target error) bool { return target == context.Canceled }

// Interrupted returns err, or an [Interruption] with a text if ctx has ended.
func Interrupted(ctx context.Context, err error, done Interruption) error {
	if err != nil && ctx.Err() != nil {
		return done
	}
	return err
}

// Say prints a line on standard error, or several. What is said may hold input of
// others, so hidden characters are escaped. Failures to write are ignored: there is no
// other place to report them.
func (t *Terminal) Say(format string, args ...any) {
	fmt.Fprintln(t.Stderr, visibleLines(fmt.Sprintf(format, args...)))
}

// maxLines is how many lines of a list are printed.
const maxLines = 20

// Most returns how many lines of a list of n are printed.
func (t *Terminal) Most(n int) int {
	if t.Verbose {
		return n
	}
	return min(n, maxLines)
}

// SayList prints the first lines of a list, and how many more there are.
func (t *Terminal) SayList(what string, lines []string) {
	most := t.Most(len(lines))
	for _, line := range lines[:most] {
		t.Say("%s: %s", what, Visible(line))
	}
	if more := len(lines) - most; more > 0 {
		t.Say("%s: %d more, which --verbose names", what, more)
	}
}

// Few returns the first words of a list on one line, and how many more there are.
func (t *Terminal) Few(words []string) string {
	most := t.Most(len(words))
	text := strings.Join(words[:most], ", ")
	if more := len(words) - most; more > 0 {
		text += fmt.Sprintf(" and %d more, which --verbose names", more)
	}
	return Visible(text)
}

// Write prints a text on standard output as it is. On a terminal its hidden characters are
// escaped.
func (t *Terminal) Write(text string) error {
	if t.StdoutIsTerminal {
		text = visibleLines(text)
	}
	_, err := io.WriteString(t.Stdout, text)
	return err
}

// Fail prints an error. Usage errors with several lines are a list of mistakes.
func (t *Terminal) Fail(err error) {
	text, detail := t.explain(err)
	lines := strings.Split(text, "\n")
	usage := errors.As(err, new(UsageError))
	if usage && len(lines) > 1 {
		t.Say("orgd: %d mistakes:\n  %s", len(lines), strings.Join(lines, "\n  "))
		return
	}
	if more := len(lines) - t.Most(len(lines)); more > 0 {
		lines = append(lines[:len(lines)-more], fmt.Sprintf("%d more lines, which --verbose prints", more))
	}
	t.Say("orgd: %s", strings.Join(lines, "\norgd: "))
	if detail != "" && !usage {
		t.Say("orgd: in detail: %s", Visible(detail)) // on one line
	}
}

// ErrSaid is the error of a command that has said what went wrong.
var ErrSaid = errors.New("said before")

// FailSoon prints an error, unless nobody reads standard error, and returns [ErrSaid].
func (t *Terminal) FailSoon(err error) error {
	said := make(chan struct{})
	go func() { t.Fail(err); close(said) }()
	select {
	case <-said:
	case <-time.After(time.Second):
	}
	return ErrSaid
}

// Sentence returns an error in the words of the command line.
func (t *Terminal) Sentence(err error) string {
	text, _ := t.explain(err)
	return text
}

func (t *Terminal) explain(err error) (text, detail string) {
	if t.Explain == nil {
		return err.Error(), ""
	}
	return t.Explain(err)
}

// The colours of a terminal, as parameters of its escape sequences.
const (
	Bold   = "1"
	Faint  = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
)

// WantsColors reports whether the environment does not forbid colours
// (https://no-color.org) and the terminal supports them.
func WantsColors(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// Color returns text in a colour, or as it is if standard output has no colours.
func (t *Terminal) Color(color, text string) string {
	if !t.Colored || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// ShellWord quotes a text as one word of a shell.
func ShellWord(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
