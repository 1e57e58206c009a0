// Command make writes what this program stores on both storages, and what it answers of
// it, into a directory: go run ./test/servers go run ./test/stored/make DIRECTORY
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"orgd"
	"orgd/test/stored"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) != 1 || os.Getenv(stored.MongoVariable) == "" {
		return errors.New("name a directory, and a server by " + stored.MongoVariable)
	}
	temp, err := os.MkdirTemp("", "orgd-stored-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := os.MkdirAll(args[0], 0o755); err != nil {
		return err
	}
	data := filepath.Join(temp, "data")
	if err := fill(ctx, stored.SQLite(data), filepath.Join(temp, "sqlite"), filepath.Join(args[0], "sqlite.json.gz")); err != nil {
		return err
	}
	database, err := os.ReadFile(filepath.Join(data, "orgd.db"))
	if err != nil {
		return err
	}
	if err := stored.Pack(filepath.Join(args[0], "orgd.db.gz"), database); err != nil {
		return err
	}
	cfg := stored.Mongo()
	defer func() { err = errors.Join(err, stored.Drop(ctx, cfg)) }()
	if err := fill(ctx, cfg, filepath.Join(temp, "mongodb"), filepath.Join(args[0], "mongodb.json.gz")); err != nil {
		return err
	}
	dump, err := stored.Dump(ctx, cfg)
	if err != nil {
		return err
	}
	return stored.Pack(filepath.Join(args[0], "mongodb.jsonl.gz"), dump)
}

// fill makes the organization and writes what is answered of it.
func fill(ctx context.Context, cfg orgd.Config, keys, answers string) error {
	if err := os.Mkdir(keys, 0o700); err != nil {
		return err
	}
	s, err := stored.Open(ctx, cfg, keys)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Make(ctx); err != nil {
		return err
	}
	all, err := s.Answers(ctx)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return stored.Pack(answers, append(text, '\n'))
}
