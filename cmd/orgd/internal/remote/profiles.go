package remote

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"orgd/adapters/keyfile"
)

// defaultProfile is the name of the profile if none is given.
const defaultProfile = "default"

// Profile is a service and the token that was stored for it.
type Profile struct {
	Server string `yaml:"server"`
	Token  string `yaml:"token"`
}

// ProfileStore is the file of the user's profiles.
type ProfileStore struct{ path string }

// Profiles returns the file in the user's directory for configuration. It fails if
// that is "".
func Profiles(userDir string) (ProfileStore, error) {
	if userDir == "" {
		return ProfileStore{}, errors.New("there is no directory for the user's configuration: set HOME")
	}
	return ProfileStore{filepath.Join(userDir, "orgd", "profiles.yaml")}, nil
}

// All returns every profile by name, none if the file is missing. It fails if somebody
// else may read or write the file: he could say where a token goes.
func (s ProfileStore) All() (map[string]Profile, error) {
	all := map[string]Profile{}
	text, err := s.read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the profiles: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		// The decoder's error may hold a token.
		return nil, fmt.Errorf("%s: is not what orgd login has written; repair or remove it", s.path)
	}
	return all, nil
}

func (s ProfileStore) read() ([]byte, error) {
	dir, err := openDirectory(filepath.Dir(s.path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f, err := os.Open(s.path) // perhaps a link of its owner
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := cmp.Or(checkOwn(dir, othersWrite), checkOwn(f, othersUse)); err != nil {
		return nil, unused(err)
	}
	return io.ReadAll(f)
}

// Profile returns a profile, and whether it exists.
func (s ProfileStore) Profile(name string) (Profile, bool, error) {
	all, err := s.All()
	one, ok := all[name]
	return one, ok, err
}

// Put stores a profile.
func (s ProfileStore) Put(name string, one Profile) error {
	return s.change(func(all map[string]Profile) { all[name] = one })
}

// Delete deletes a profile.
func (s ProfileStore) Delete(name string) error {
	return s.change(func(all map[string]Profile) { delete(all, name) })
}

func (s ProfileStore) change(do func(map[string]Profile)) error {
	all, err := s.All()
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
