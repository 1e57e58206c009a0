package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"orgd/test/owned"
)

// ours labels a container.
func ours() testcontainers.CustomizeRequestOption {
	return testcontainers.WithLabels(map[string]string{owned.Label: owned.Value()})
}

// removeLeft removes the containers of processes that were killed.
func removeLeft(ctx context.Context) error {
	return remove(ctx, func(value string) bool {
		left := owned.Left(value)
		if left {
			fmt.Fprintln(os.Stderr, "servers: removes a container that a killed process has left:", value)
		}
		return left
	})
}

// removeOurs removes the containers of this process, those included whose start
// was interrupted.
func removeOurs(ctx context.Context) error {
	return remove(ctx, func(value string) bool { return value == owned.Value() })
}

// remove removes the containers whose labels are chosen.
func remove(ctx context.Context, chosen func(value string) bool) error {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return err
	}
	defer docker.Close() // nothing is left to lose
	list, err := docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", owned.Label)})
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range list.Items {
		if chosen(c.Labels[owned.Label]) {
			_, err := docker.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
