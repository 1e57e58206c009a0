package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"orgd/adapters/keyfile"
)

// defaultProfile is the one that is used when nobody names one.
const defaultProfile = "default"

// profile is a service and the token that was stored for it.
type profile struct {
	Server string `yaml:"server"`
	Token  string `yaml:"token"`
}

// profileStore is the file of the user's profiles.
type profileStore struct{ path string }

// profiles are the user's, in the directory for configuration.
func (p *process) profiles() (profileStore, error) {
	if p.userDir == "" {
		return profileStore{}, errors.New("there is no directory for the user's configuration: set HOME")
	}
	return profileStore{filepath.Join(p.userDir, "orgd", "profiles.yaml")}, nil
}

// all reads every profile. A file that is missing has none.
func (s profileStore) all() (map[string]profile, error) {
	all := map[string]profile{}
	text, err := os.ReadFile(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the profiles: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		// The error would show what stands there: tokens.
		return nil, fmt.Errorf("%s: is not what orgd login has written; repair or remove it", s.path)
	}
	return all, nil
}

// profile reads one, and tells whether there is such a profile.
func (s profileStore) profile(name string) (profile, bool, error) {
	all, err := s.all()
	one, ok := all[name]
	return one, ok, err
}

// put stores a profile.
func (s profileStore) put(name string, one profile) error {
	return s.change(func(all map[string]profile) { all[name] = one })
}

// remove forgets a profile.
func (s profileStore) remove(name string) error {
	return s.change(func(all map[string]profile) { delete(all, name) })
}

func (s profileStore) change(do func(map[string]profile)) error {
	all, err := s.all()
	if err != nil {
		return err
	}
	do(all)
	text, err := yaml.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	if err := keyfile.Replace(s.path, text); err != nil {
		return fmt.Errorf("write the profiles: %w", err)
	}
	return nil
}
