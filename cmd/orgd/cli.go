package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"orgd"
)

// The exit codes that scripts may rely on.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitPlanned = 3 // a plan has changes
)

// cli is the grammar of the command line.
type cli struct {
	Demo  demoCmd  `cmd:"" group:"operate" help:"Run the service with a company that is made up, to look at."`
	Serve serveCmd `cmd:"" group:"operate" help:"Run the service."`
	Token struct {
		Create tokenCreateCmd `cmd:"" help:"Make a token with the signing key; the service is not asked."`
		List   tokenListCmd   `cmd:"" help:"List the sessions of the running service."`
		Revoke tokenRevokeCmd `cmd:"" help:"End sessions of the running service; their tokens stop working."`
	} `cmd:"" group:"operate" help:"Make, list and revoke tokens."`
	Backup      backupCmd      `cmd:"" group:"operate" help:"Write a backup of a data directory, also while the service runs."`
	Restore     restoreCmd     `cmd:"" group:"operate" help:"Put a backup into a data directory that no process uses."`
	Migrate     migrateCmd     `cmd:"" group:"operate" help:"Bring the storage to the schema of this program."`
	Healthcheck healthcheckCmd `cmd:"" group:"operate" help:"Ask the service of this machine whether it is ready."`
	Keys        struct {
		Create keysCreateCmd `cmd:"" help:"Make the key files that replicas share."`
	} `cmd:"" group:"operate" help:"Make keys."`
	Config struct {
		Check configCheckCmd `cmd:"" help:"Report every mistake in the configuration, try it, and show it."`
	} `cmd:"" group:"operate" help:"Examine the configuration."`

	Login      loginCmd      `cmd:"" group:"use" help:"Store a server and a token, for the commands that talk to a running service."`
	Logout     logoutCmd     `cmd:"" group:"use" help:"End the session of a stored token, and forget it."`
	Whoami     whoamiCmd     `cmd:"" group:"use" help:"Show who the service takes the caller for."`
	Get        getCmd        `cmd:"" group:"use" help:"List what the service holds."`
	Company    companyCmd    `cmd:"" group:"use" help:"Look at the company, or change it."`
	Agent      agentCmd      `cmd:"" group:"use" help:"Look at one agent, or change it."`
	Department departmentCmd `cmd:"" group:"use" help:"Look at departments, or change them."`
	Project    projectCmd    `cmd:"" group:"use" help:"Look at projects, or change them."`
	Export     exportCmd     `cmd:"" group:"use" help:"Write the organization as one document."`
	Plan       planCmd       `cmd:"" group:"use" help:"Show what a document would change."`
	Apply      applyCmd      `cmd:"" group:"use" help:"Make the organization as a document says."`
	Import     struct {
		Agents importAgentsCmd `cmd:"" help:"Import agents from Markdown files with YAML front matter."`
	} `cmd:"" group:"use" help:"Import from elsewhere."`
	Simulate simulateCmd `cmd:"" group:"use" help:"Play an organization through a running service, to see it with life in it."`

	Schema     schemaCmd     `cmd:"" group:"more" help:"Print the JSON Schema of the document of an organization, for editors."`
	Completion completionCmd `cmd:"" group:"more" help:"Print what a shell needs to complete command lines of orgd."`
	Complete   completeCmd   `cmd:"" name:"__complete" hidden:""`
	Version    versionCmd    `cmd:"" group:"more" help:"Print the version."`
}

// process is what a command meets of the world outside.
type process struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	interactive    bool          // stdin is a terminal
	terminal       bool          // stderr is one
	colored        bool          // stdout is one that should have colours
	userDir        string        // of the user's configuration, "" if nobody knows
	within         time.Duration // a connection to a service is there in this time; 0 is a minute
	to             *connection   // the service that the command talks to, if it does
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
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
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
	switch err := command.Run(&p); {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return p.failInterrupted(ctx, err)
	case err != nil:
		return p.fail(err)
	}
	return exitOK
}

func newParser(p process, exit func(int)) (*kong.Kong, error) {
	return kong.New(&cli{},
		kong.Name("orgd"),
		kong.Description(`orgd keeps an organization of AI agents: departments, agents and the history of what each agent was.

Start with "orgd serve"; it needs nothing else. Settings come from flags, then from the environment (ORGD_*), then from a file (--config), then from defaults.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 a plan has changes, 130 ended by Ctrl-C, 143 by SIGTERM.`),
		kong.ExplicitGroups([]kong.Group{
			{Key: "operate", Title: "Run a service:"},
			{Key: "use", Title: "Talk to a running service:"},
			{Key: "more", Title: "And:"},
			{Key: "mongo", Title: "MongoDB (--storage mongodb)"},
			{Key: "redis", Title: "Redis: limits that replicas share"},
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
		if v.Flag == nil || v.HasDefault || s.Name != v.Name {
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
	reason = strings.Replace(reason, `must be one of "",`, "must be one of ", 1) // nothing is what is not given
	if flag, _, ok := strings.Cut(reason, `: expected string value but got "EOL"`); ok {
		reason = flag + ": needs a value"
	}
	p.say("orgd: %s\nRun \"%s --help\" to see what there is.", reason, path)
	return exitUsage
}

// fail reports an error and returns its exit code.
func (p process) fail(err error) int {
	if errors.Is(err, errPlanned) {
		return exitPlanned
	}
	var usage usageError
	lines := strings.Split(p.sentence(err), "\n")
	for i := range lines {
		lines[i] = visible(lines[i]) // it may tell what somebody else wrote
	}
	if !errors.As(err, &usage) {
		p.say("orgd: %s", strings.Join(lines, "\norgd: "))
		p.details(err)
		return exitFailure
	}
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
