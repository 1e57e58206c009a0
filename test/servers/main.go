// Command servers runs another command beside the servers that the tests of
// shared storage and shared limits need, and ends them when it has ended:
//
//	go run ./test/servers go test ./adapters/mongostore ./adapters/redislimit
//
// MongoDB is a replica set of three members, Redis one server. They are empty at
// first, and run in containers. The command finds them by ORGD_TEST_MONGO_URI and
// ORGD_TEST_REDIS_ADDR. A server that one of these names already is used as it is,
// and no container is started for it. Other images than the official ones are named
// by ORGD_TEST_MONGO_IMAGE and ORGD_TEST_REDIS_IMAGE.
//
// The exit code is that of the command, or 1 if a server could not be had.
// `servers -images` lists the images that it would use and starts nothing.
// `servers -remove` only removes what tests have left in Docker that were killed.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9/logging"
	"github.com/testcontainers/testcontainers-go/log"

	"orgd/test/owned"
)

func main() {
	// The library's helper container would do what RemoveLeft does.
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		panic(err)
	}
	log.SetDefault(log.NewNoopLogger()) // what matters comes as an error
	logging.Disable()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
	}
	os.Exit(code)
}

// run has the servers, then runs the command, and returns its exit code.
func run(ctx context.Context, command []string) (code int, err error) {
	if len(command) == 0 {
		return 2, errors.New("name the command to run, such as: go test ./adapters/mongostore")
	}
	if len(command) == 1 && command[0] == "-remove" {
		return 0, owned.RemoveLeft()
	}
	servers := []*server{mongoDB(), redisServer()}
	for _, s := range servers {
		s.address = os.Getenv(s.variable)
		s.given = s.address != ""
	}
	if len(command) == 1 && command[0] == "-images" {
		return 0, listImages(servers)
	}
	if slices.ContainsFunc(servers, func(s *server) bool { return !s.given }) {
		if err := owned.RemoveLeft(); err != nil { // somebody else may be at it
			fmt.Fprintln(os.Stderr, "servers:", err)
		}
		defer func() {
			if problem := owned.RemoveOurs(); problem != nil {
				code, err = max(code, 1), errors.Join(err, problem)
			}
		}()
	}
	if err := start(ctx, servers); err != nil {
		return 1, err
	}
	for _, s := range servers {
		fmt.Fprintln(os.Stderr, "servers:", s)
	}
	return execute(ctx, command, servers)
}

func listImages(servers []*server) error {
	for _, s := range servers {
		if s.given {
			continue
		}
		if _, err := fmt.Println(s.image); err != nil {
			return err
		}
	}
	return nil
}

// start starts the servers at once and returns when all of them answer.
func start(ctx context.Context, servers []*server) error {
	errs := make([]error, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { errs[i] = s.start(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// interruptWait is how long the command may take to end when it is asked to.
const interruptWait = 30 * time.Second

func execute(ctx context.Context, command []string, servers []*server) (int, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = interruptWait
	cmd.Env = os.Environ()
	for _, s := range servers {
		cmd.Env = append(cmd.Env, s.variable+"="+s.address)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
