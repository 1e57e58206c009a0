package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"orgd"
)

// The exit codes that scripts may rely on. Code 3 is kept for a plan that has
// changes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// cli is the grammar of the command line.
type cli struct {
	Serve serveCmd `cmd:"" help:"Run the service."`
	Token struct {
		Create tokenCreateCmd `cmd:"" help:"Make a token with the signing key; the service is not asked."`
		List   tokenListCmd   `cmd:"" help:"List the sessions of the running service."`
		Revoke tokenRevokeCmd `cmd:"" help:"End sessions of the running service; their tokens stop working."`
	} `cmd:"" help:"Make, list and revoke tokens."`
	Backup  backupCmd  `cmd:"" help:"Write a backup of a data directory, also while the service runs."`
	Restore restoreCmd `cmd:"" help:"Put a backup into a data directory that no process uses."`
	Migrate migrateCmd `cmd:"" help:"Bring a data directory that no process uses to the schema of this program."`
	Config  struct {
		Check configCheckCmd `cmd:"" help:"Report every mistake in the configuration, or show it."`
	} `cmd:"" help:"Examine the configuration."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// process is what a command meets of the world outside.
type process struct {
	getenv         func(string) string
	stdout, stderr io.Writer
	terminal       bool // stderr is one
	flags          map[string]any
}

// usageError is a mistake of whoever typed the command.
type usageError struct{ error }

// run executes one command line and returns its exit code. Ending ctx stops a
// command in good order.
func run(ctx context.Context, args []string, p process) int {
	code := exitOK
	switch {
	case len(args) == 0: // show what there is, but it was no command
		args, p.stdout, code = []string{"--help"}, p.stderr, exitUsage
	case slices.Equal(args, []string{"--version"}):
		args = []string{"version"}
	}
	helped := false
	parser, err := newParser(p, func(int) { helped = true })
	if err != nil {
		return p.fail(err)
	}
	command, err := parser.Parse(args)
	if helped {
		return code
	}
	if err != nil {
		return p.failParsing(err)
	}
	p.flags = givenFlags(command)
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(&p); err != nil {
		return p.fail(err)
	}
	return exitOK
}

func newParser(p process, exit func(int)) (*kong.Kong, error) {
	return kong.New(&cli{},
		kong.Name("orgd"),
		kong.Description(`orgd keeps an organization of AI agents: departments, agents and the history of what each agent was.

Start with "orgd serve"; it needs nothing else. Settings come from flags, then from the environment (ORGD_*), then from a file (--config), then from defaults.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 a plan has changes.`),
		kong.ExplicitGroups([]kong.Group{
			{Key: "oidc", Title: `Tokens of an OpenID Connect issuer (several: "oidc" in the file)`},
			{Key: "logs", Title: "Logs (on standard error)"},
		}),
		kong.Vars{"server": defaultServer},
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100, Compact: true}),
		kong.ValueFormatter(helpOf),
	)
}

// helpOf adds the default and the variable to the help of a setting.
func helpOf(v *kong.Value) string {
	for _, s := range orgd.Settings() {
		if v.Flag == nil || s.Name != v.Name {
			continue
		}
		var notes []string
		if s.Default != "" && s.Default != "false" {
			notes = append(notes, "default "+s.Default)
		}
		return fmt.Sprintf("%s (%s)", v.Help, strings.Join(append(notes, "$"+s.Env), "; "))
	}
	return v.Help
}

// givenFlags returns the flags that stand on the command line.
func givenFlags(command *kong.Context) map[string]any {
	given := map[string]any{}
	for _, p := range command.Path {
		if p.Flag != nil {
			given[p.Flag.Name] = command.FlagValue(p.Flag)
		}
	}
	return given
}

// load reads the configuration of the service from where it may stand.
func (p *process) load() (orgd.Config, error) {
	cfg, err := orgd.Load(orgd.Sources{Flags: p.flags, Getenv: p.getenv})
	if err != nil {
		err = usageError{err}
	}
	return cfg, err
}

// loadValid reads the configuration and reports all mistakes in it.
func (p *process) loadValid() (orgd.Config, error) {
	cfg, err := p.load()
	if err = errors.Join(err, cfg.Validate()); err != nil {
		err = usageError{err}
	}
	return cfg, err
}

// failParsing reports a command line that is not in the grammar.
func (p process) failParsing(err error) int {
	path := "orgd"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
		path = parse.Context.Selected().FullPath()
	}
	reason := err.Error()
	if flag, _, ok := strings.Cut(reason, `: expected string value but got "EOL"`); ok {
		reason = flag + ": needs a value"
	}
	p.say("orgd: %s\nRun \"%s --help\" to see what there is.", reason, path)
	return exitUsage
}

// fail reports an error and returns its exit code.
func (p process) fail(err error) int {
	var usage usageError
	if !errors.As(err, &usage) {
		p.say("orgd: %v", err)
		return exitFailure
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) == 1 {
		p.say("orgd: %s", lines[0])
		return exitUsage
	}
	p.say("orgd: %d mistakes:\n  %s", len(lines), strings.Join(lines, "\n  "))
	return exitUsage
}

// say tells the operator something. There is nobody to tell if that fails.
func (p process) say(format string, args ...any) {
	fmt.Fprintf(p.stderr, format+"\n", args...)
}
