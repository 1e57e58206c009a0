package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// server is one that the command may use.
type server struct {
	name     string // for people
	variable string // that names it to the command
	image    string // to make a container of
	port     string // inside the container
	data     string // directory inside the container that becomes a volume, if any
	args     []string

	// at turns HOST:PORT into what the variable holds.
	at func(hostPort string) string
	// prepare makes a new container ready for use; it is called until it
	// succeeds.
	prepare func(ctx context.Context, address string) error
	// ask asks the server which version it is.
	ask func(ctx context.Context, address string) (version string, err error)

	address   string
	version   string
	container *testcontainers.DockerContainer // nil if the server was there before
}

// String says what there is, and how the server was come by. It does not repeat
// an address that was given, which may hold a password.
func (s *server) String() string {
	if s.container == nil {
		return fmt.Sprintf("%s %s, which %s names", s.name, s.version, s.variable)
	}
	return fmt.Sprintf("%s %s in a container of %s, %s=%s", s.name, s.version, s.image, s.variable, s.address)
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
	// tryEvery is how often a server is asked whether it is ready, tryWait how
	// long it has for the answer.
	tryEvery = 100 * time.Millisecond
	tryWait  = 5 * time.Second
)

// start finds the server or starts it.
func (s *server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	s.address = os.Getenv(s.variable)
	if s.address == "" {
		if err := s.startContainer(ctx); err != nil {
			return fmt.Errorf("start %s for %s: %w", s.image, s.name, err)
		}
	}
	var err error
	if s.version, err = s.ask(ctx, s.address); err != nil {
		return fmt.Errorf("%s of %s does not answer: %w", s.name, s.variable, err)
	}
	return nil
}

func (s *server) startContainer(ctx context.Context) error {
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(s.port),
		testcontainers.WithCmd(s.args...),
		// The images have no tools to look from inside; prepare looks from outside.
		testcontainers.WithWaitStrategy(wait.ForListeningPort(s.port).SkipInternalCheck()),
	}
	if s.data != "" {
		options = append(options, testcontainers.WithMounts(testcontainers.VolumeMount("", testcontainers.ContainerMountTarget(s.data))))
	}
	var err error
	if s.container, err = testcontainers.Run(ctx, s.image, options...); err != nil {
		return err
	}
	host, err := s.container.Host(ctx)
	if err != nil {
		return err
	}
	port, err := s.container.MappedPort(ctx, s.port)
	if err != nil {
		return err
	}
	s.address = s.at(net.JoinHostPort(host, port.Port()))
	return s.becomeReady(ctx)
}

func (s *server) becomeReady(ctx context.Context) error {
	for {
		err := s.try(ctx)
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

func (s *server) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tryWait)
	defer cancel()
	return s.prepare(ctx, s.address)
}

// end ends what start has started.
func (s *server) end(ctx context.Context) error {
	if s.container == nil {
		return nil
	}
	if err := s.container.Terminate(ctx, testcontainers.StopTimeout(0)); err != nil {
		return fmt.Errorf("end the container of %s: %w", s.name, err)
	}
	return nil
}
