package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"orgd/cmd/orgd/internal/account"
	"orgd/cmd/orgd/internal/completion"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/demo"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/importer"
	"orgd/cmd/orgd/internal/mcp"
	"orgd/cmd/orgd/internal/operate"
	"orgd/cmd/orgd/internal/organization"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/access"
	"orgd/domain/fault"
)

// The exit codes that scripts may rely on.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitPlanned = 3   // a plan has changes
	exitSignal  = 128 // plus the number of the signal that ended the command
)

// cli is the grammar of the command line.
type cli struct {
	Demo  demo.Demo     `cmd:"" group:"operate" help:"Run the service with a company that is made up, to look at."`
	Serve operate.Serve `cmd:"" group:"operate" help:"Run the service."`
	Token struct {
		Create account.TokenCreate `cmd:"" aliases:"new" help:"Make a token with the signing key; the service is not asked."`
		List   account.TokenList   `cmd:"" aliases:"ls" help:"List the sessions of the running service."`
		Revoke account.TokenRevoke `cmd:"" aliases:"rm,delete" help:"End sessions of the running service; their tokens stop working."`
	} `cmd:"" group:"operate" help:"Make, list and revoke tokens."`
	Backup      operate.Backup      `cmd:"" group:"operate" help:"Write a backup of a data directory, also while the service runs."`
	Restore     operate.Restore     `cmd:"" group:"operate" help:"Put a backup into a data directory that no process uses."`
	Check       operate.Check       `cmd:"" group:"operate" help:"Examine a data directory for damage, also while the service runs."`
	Archive     operate.Archive     `cmd:"" group:"operate" help:"Carry everything of a service to another storage."`
	Migrate     operate.Migrate     `cmd:"" group:"operate" help:"Bring the storage to the schema of this program."`
	Healthcheck operate.Healthcheck `cmd:"" group:"operate" help:"Ask the service of this machine whether it is ready."`
	Keys        struct {
		Create operate.KeysCreate `cmd:"" help:"Make the key files that replicas share."`
	} `cmd:"" group:"operate" help:"Make keys."`
	Config struct {
		Check operate.ConfigCheck `cmd:"" help:"Report every mistake in the configuration, try it, and show it."`
	} `cmd:"" group:"operate" help:"Examine the configuration."`

	Login      account.Login           `cmd:"" group:"use" help:"Store a server and a token, for the commands that talk to a running service."`
	Logout     account.Logout          `cmd:"" group:"use" help:"End the session of a stored token, and forget it."`
	Whoami     account.Whoami          `cmd:"" group:"use" help:"Show who the service takes the caller for."`
	Profiles   account.Profiles        `cmd:"" group:"use" help:"List the services that \"orgd login\" has stored."`
	Get        organization.Get        `cmd:"" group:"use" help:"List what the service holds."`
	Search     organization.Search     `cmd:"" group:"use" help:"Find agents by what is written in them."`
	Company    organization.Company    `cmd:"" group:"use" help:"Look at the company, or change it."`
	Agent      organization.Agent      `cmd:"" group:"use" help:"Look at one agent, or change it."`
	Label      organization.Label      `cmd:"" group:"use" help:"Look at the labels of agents, or move them."`
	Resolve    organization.Resolve    `cmd:"" group:"use" help:"Show the version of an agent that a label names."`
	Department organization.Department `cmd:"" group:"use" help:"Look at departments, or change them."`
	Project    organization.Project    `cmd:"" group:"use" help:"Look at projects, or change them."`
	Webhook    organization.Webhook    `cmd:"" group:"use" help:"Look at webhooks, change them, and what was sent to them."`
	Audit      organization.Audit      `cmd:"" group:"use" help:"List who changed what."`
	Export     document.Export         `cmd:"" group:"use" help:"Write the organization as one document."`
	Plan       document.Plan           `cmd:"" group:"use" help:"Show what a document would change."`
	Apply      document.Apply          `cmd:"" group:"use" help:"Make the organization as a document says."`
	Import     struct {
		Agents importer.Agents `cmd:"" help:"Import agents from Markdown files with YAML front matter."`
	} `cmd:"" group:"use" help:"Import from elsewhere."`
	Render organization.Render `cmd:"" group:"use" help:"Write agents as files for programs for coding, such as Claude Code."`
	MCP    mcp.Command         `cmd:"" group:"use" help:"Serve tools for models, over MCP on standard input and output."`

	organization.Habits
	Tokens account.TokenList `cmd:"" hidden:""`

	Schema     document.Schema     `cmd:"" group:"more" help:"Print the JSON Schema of the document of an organization, for editors."`
	Completion completion.Command  `cmd:"" group:"more" help:"Print what a shell needs to complete command lines of orgd."`
	Complete   completion.Complete `cmd:"" name:"__complete" hidden:""`
	Version    operate.Version     `cmd:"" group:"more" help:"Print the version."`
}

// run executes one command line and returns its exit code. Ending ctx stops a
// command in good order.
func run(ctx context.Context, args []string, t terminal.Terminal) int {
	code := exitOK
	switch {
	case len(args) == 0: // print the help, but fail
		args, t.Stdout, code = []string{"--help"}, t.Stderr, exitUsage
	case slices.Equal(args, []string{"--version"}):
		args = []string{"version"}
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	helped := false
	parser, err := newParser(t, func(int) { helped = true })
	if err != nil {
		return fail(ctx, &t, err)
	}
	command, err := parser.Parse(args)
	if helped {
		return code
	}
	if err != nil {
		return failParsing(&t, err)
	}
	t.EndInputWith(ctx)
	command.BindTo(ctx, (*context.Context)(nil))
	return fail(ctx, &t, command.Run(&t, config.GivenFlags(command)))
}

func newParser(t terminal.Terminal, exit func(int)) (*kong.Kong, error) {
	c := &cli{}
	c.Serve.Plugins, c.Config.Check.Plugins = config.Flags(), config.Flags()
	c.Migrate.Plugins, c.Archive.Create.Plugins, c.Archive.Restore.Plugins = operate.MongoFlags(), operate.MongoFlags(), operate.MongoFlags()
	c.Token.Create.Plugins = config.Flags("signing-key-file", "token-issuer", "token-audience")
	parser, err := kong.New(c,
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
		kong.Vars{"server": remote.DefaultServer, "roles": fault.List(access.Roles())},
		kong.Writers(t.Stdout, t.Stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100, Compact: true}),
		kong.ValueFormatter(config.Help()),
	)
	if err != nil {
		return nil, err
	}
	help := organization.Help()
	for _, command := range parser.Model.Leaves(false) {
		if text, ok := help[command.Target.Type().Name()]; ok {
			command.Detail = text
		}
	}
	return parser, nil
}

// failParsing reports a command line that is not in the grammar, and returns the
// exit code.
func failParsing(t *terminal.Terminal, err error) int {
	path, reason := "orgd", err.Error()
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil && parse.Context.Selected() != nil {
		command := parse.Context.Selected()
		path = pathOf(command)
		if len(command.Children) > 0 {
			return failVerbless(t, command, reason)
		}
		takesFile := slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == "file" })
		if takesFile && strings.HasPrefix(reason, "unexpected argument ") {
			reason += "; a file goes with --file"
		}
	}
	reason = strings.Replace(reason, `must be one of "",`, "must be one of ", 1) // "" is a flag that is not given
	if flag, _, ok := strings.Cut(reason, `: expected string value but got "EOL"`); ok {
		reason = flag + ": needs a value"
	}
	t.Say("orgd: %s\nRun \"%s --help\" to see what there is.", reason, path)
	return exitUsage
}

// pathOf returns the words of a command, without those that mean the same.
func pathOf(command *kong.Node) string {
	path := command.Name
	for n := command.Parent; n != nil; n = n.Parent {
		path = n.Name + " " + path
	}
	return path
}

// failVerbless says what can be done with a noun, and returns the exit code.
func failVerbless(t *terminal.Terminal, noun *kong.Node, reason string) int {
	if !strings.HasPrefix(reason, "expected ") {
		t.Say("orgd: %s", reason)
	}
	t.Say("%s needs one of these; \"%[1]s COMMAND --help\" says more:", pathOf(noun))
	said := *t
	said.Stdout = t.Stderr
	table := said.Table()
	for _, verb := range noun.Children {
		table.Row("  "+verb.Name, verb.Help)
	}
	_ = table.Flush() // as of all that is said
	return exitUsage
}

// fail reports the error of a command and returns the exit code.
func fail(ctx context.Context, t *terminal.Terminal, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, document.ErrPlanned):
		return exitPlanned
	case errors.Is(err, terminal.ErrSaid):
		return exitFailure
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return failInterrupted(ctx, t, err)
	}
	t.Fail(err)
	if errors.As(err, new(terminal.UsageError)) {
		return exitUsage
	}
	return exitFailure
}

// failInterrupted reports what the user has to know about a command that ended
// because ctx ended, and returns the exit code.
func failInterrupted(ctx context.Context, t *terminal.Terminal, err error) int {
	if i, ok := errors.AsType[terminal.Interruption](err); ok {
		t.Say("orgd: %s", i)
	} else if remote.Uncertain(err) {
		t.Say("orgd: interrupted; %s", remote.OutcomeUnknown)
	}
	if s, ok := errors.AsType[stopped](context.Cause(ctx)); ok {
		return exitSignal + int(s.signal)
	}
	return exitSignal + int(syscall.SIGINT)
}

// stopped is the cause of the end of a context: a signal.
type stopped struct{ signal syscall.Signal }

// Error implements error.
func (s stopped) Error() string { return "stopped by " + s.signal.String() }

// Is makes it a kind of context.Canceled.
func (stopped) Is(target error) bool { return target == context.Canceled }
