// Package mcp has the command that serves tools for models.
package mcp

import (
	"context"
	"errors"
	"sync"

	"orgd"
	"orgd/adapters/mcpserver"
	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Command serves tools for models on standard input and output.
type Command struct {
	remote.ServerFlag
}

// Help implements kong.HelpProvider.
func (Command) Help() string {
	return `Serves the Model Context Protocol on standard input and output, for programs such as Claude Code, VS Code and Cursor, until the input ends. Its tools find and read agents, versions, labels, figures, changes and policies, and report tasks; none changes an agent or moves a label. They ask the service with the stored token, so they see and do what its role may.

Programs start it themselves; Claude Code after this: claude mcp add orgd -- orgd mcp

Example:

    echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | orgd mcp`
}

// Run serves until standard input or ctx ends.
func (c *Command) Run(ctx context.Context, t *terminal.Terminal) error {
	s := source{flags: c.ServerFlag, terminal: *t}
	if _, err := s.open(ctx); err != nil {
		return err
	}
	return mcpserver.Serve(ctx, mcpserver.New(orgd.Version().Version, s.open), t.Stdin, t.Stdout)
}

// source opens the service: once, and again when its token was not accepted, for another one
// may be stored by then.
type source struct {
	flags    remote.ServerFlag
	terminal terminal.Terminal

	mu     sync.Mutex
	opened *mcpserver.Service
}

func (s *source) open(context.Context) (mcpserver.Service, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		return *s.opened, nil
	}
	t := s.terminal
	service, _, err := s.flags.Open(&t)
	if err != nil {
		return mcpserver.Service{Explain: t.Sentence}, err
	}
	s.opened = &mcpserver.Service{Client: service, Explain: func(err error) string {
		if errors.Is(err, client.ErrUnauthorized) || errors.Is(err, client.ErrSessionRevoked) {
			s.mu.Lock()
			s.opened = nil
			s.mu.Unlock()
		}
		return t.Sentence(err)
	}}
	return *s.opened, nil
}
