package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/testcontainers/testcontainers-go"

	"orgd/test/owned"
	"orgd/test/process"
)

// server is one that the command may use, of one member or several.
type server struct {
	name     string // for people
	variable string // that names it to the command
	image    string // to make containers of

	members int
	// command is what a member runs, which listens at a port of 127.0.0.1.
	command func(port string) []string
	data    string // directory in the container that is kept in memory, if any
	// join makes one server of members at these addresses. It is called until it
	// succeeds: then the server is ready for use.
	join func(ctx context.Context, hosts []string) error
	// at is what the variable holds for a server at these addresses.
	at func(hosts []string) string
	// ask asks the server which version it is.
	ask func(ctx context.Context, address string) (version string, err error)

	given   bool // the server was there before
	address string
	version string
}

// String says what there is, and how the server was come by. It does not repeat
// an address that was given, which may hold a password.
func (s *server) String() string {
	if s.given {
		return fmt.Sprintf("%s %s, which %s names", s.name, s.version, s.variable)
	}
	return fmt.Sprintf("%s %s in containers of %s, %s=%s", s.name, s.version, s.image, s.variable, s.address)
}

// imageOf returns the image that a variable names, or the usual one.
func imageOf(variable, usual string) string {
	if image := os.Getenv(variable); image != "" {
		return image
	}
	return usual
}

const (
	// startWait is how long a server may take until it answers, the download of
	// its image included.
	startWait = 5 * time.Minute
	// startTries is how often members are started, if one of them ends.
	startTries = 3
	// tryEvery is how often a server is asked whether it is ready, tryWait how
	// long it has for the answer.
	tryEvery = 100 * time.Millisecond
	tryWait  = 5 * time.Second
	// firstUser is the user of the first member. Each has its own, so that a firewall
	// can tell what they send to each other from what clients send.
	firstUser = 64001
)

// start finds the server or starts it.
func (s *server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	if !s.given {
		if err := s.startContainers(ctx); err != nil {
			return fmt.Errorf("start %s for %s: %w", s.image, s.name, err)
		}
	}
	var err error
	if s.version, err = s.ask(ctx, s.address); err != nil {
		return fmt.Errorf("%s of %s does not answer: %w", s.name, s.variable, err)
	}
	return nil
}

// errEnded is a member that has ended: somebody else has taken its port, for example.
var errEnded = errors.New("it has ended")

func (s *server) startContainers(ctx context.Context) error {
	if err := pull(ctx, s.image); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := s.startMembers(ctx)
		if !errors.Is(err, errEnded) || try == startTries {
			return err
		}
		fmt.Fprintf(os.Stderr, "servers: %s is started again: %v\n", s.name, err)
	}
}

// pull gets an image that is not there.
func pull(ctx context.Context, image string) error {
	if exec.CommandContext(ctx, "docker", "image", "inspect", image).Run() == nil {
		return nil
	}
	_, err := process.Output(exec.CommandContext(ctx, "docker", "pull", "--quiet", image))
	return err
}

func (s *server) startMembers(ctx context.Context) error {
	var all []*testcontainers.DockerContainer
	var hosts []string
	for i := range s.members {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		port, err := freePort()
		if err != nil {
			return err
		}
		c, err := s.startMember(ctx, port, strconv.Itoa(firstUser+i))
		if err != nil {
			return err
		}
		all, hosts = append(all, c), append(hosts, net.JoinHostPort("127.0.0.1", port))
	}
	s.address = s.at(hosts)
	return s.becomeReady(ctx, hosts, all)
}

// freePort returns one where nobody listens. Somebody else may be faster to use it.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), l.Close()
}

// startMember starts a container in the network of the machine: there other members
// and clients know it by the same address. It does not end with ctx: the engine
// would go on and nobody would know of the container.
func (s *server) startMember(ctx context.Context, port, user string) (*testcontainers.DockerContainer, error) {
	command := s.command(port)
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithLabels(map[string]string{owned.Label: owned.Value()}),
		testcontainers.WithEntrypoint(command[0]), testcontainers.WithCmd(command[1:]...),
		testcontainers.WithConfigModifier(func(c *container.Config) { c.User = user }),
		testcontainers.WithHostConfigModifier(func(h *container.HostConfig) { h.NetworkMode = "host" }),
	}
	if s.data != "" {
		options = append(options, testcontainers.WithTmpfs(map[string]string{s.data: "mode=0700,uid=" + user}))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startWait)
	defer cancel()
	return testcontainers.Run(ctx, s.image, options...)
}

// becomeReady joins the members, unless one of them ends.
func (s *server) becomeReady(ctx context.Context, hosts []string, all []*testcontainers.DockerContainer) error {
	for {
		err := s.try(ctx, hosts)
		for _, c := range all {
			state, problem := c.State(ctx)
			if problem == nil && !state.Running {
				return fmt.Errorf("%w with code %d", errEnded, state.ExitCode)
			}
		}
		if err == nil {
			return nil
		}
		select {
		case <-time.After(tryEvery):
		case <-ctx.Done():
			return fmt.Errorf("not ready in time: %w", err)
		}
	}
}

func (s *server) try(ctx context.Context, hosts []string) error {
	ctx, cancel := context.WithTimeout(ctx, tryWait)
	defer cancel()
	return s.join(ctx, hosts)
}
