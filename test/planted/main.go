// Command planted shows that tests notice mistakes: it builds one mistake after
// the other into the program, runs the test that has to notice, and fails if the
// test passes. The files of the program stay as they are; the compiler is given
// others in their place.
//
//	go run ./test/planted [-run REGEXP] [-v]
//
// Run it from the root of the module. A mistake whose test needs a server is
// skipped unless the environment names one.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	// testTimeout bounds one test with a mistake in it, which may wait for ever.
	testTimeout = 5 * time.Minute
	// together is how many mistakes are tried at the same time: one links while another one is tested.
	together = 2
)

func main() {
	wanted := flag.String("run", "", "only the mistakes whose names match")
	verbose := flag.Bool("v", false, "show what the tests print")
	flag.Parse()
	if err := run(*wanted, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

func run(wanted string, verbose bool) error {
	only, err := regexp.Compile(wanted)
	if err != nil {
		return err
	}
	bugs, err := readBugs()
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	caught, skipped, missed := 0, 0, 0
	var all sync.WaitGroup
	var report sync.Mutex
	slots := make(chan struct{}, together)
	for _, b := range bugs {
		if !only.MatchString(b.name) {
			continue
		}
		if b.need != "" && os.Getenv(b.need) == "" {
			skipped++
			fmt.Printf("!!! SKIPPED: %s: %s is not set\n", b.name, b.need)
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			begun := time.Now()
			output, err := b.tryIn(root)
			report.Lock()
			defer report.Unlock()
			if verbose || err != nil {
				os.Stdout.Write(output)
			}
			if err != nil {
				missed++
				fmt.Printf("MISSED  %s: %v\n", b.name, err)
				return
			}
			caught++
			fmt.Printf("caught  %-34s %5.1f s  %s\n", b.name, time.Since(begun).Seconds(), b.test)
		})
	}
	all.Wait()
	fmt.Printf("%d caught, %d missed, %d skipped\n", caught, missed, skipped)
	if missed > 0 || caught == 0 {
		return errors.New("not every mistake was noticed")
	}
	return nil
}

// tryIn builds the mistake into the module at root and runs its test. It returns
// what that printed, and an error unless the test has failed.
func (b bug) tryIn(root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "orgd-planted-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	overlay, err := b.overlay(root, dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout+time.Minute) // and for the compiler
	defer cancel()
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout", testTimeout.String(), "-run", b.pattern(), b.pkg)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &output, &output
	// Tests that build the program build it with the mistake, and take none that is there.
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay, "ORGD_TEST_BINARY=", "ORGD_TEST_FAILING=")
	err = cmd.Run()
	if failed, text := b.verdict(output.Bytes()); failed {
		return text, nil
	} else if err == nil {
		return text, fmt.Errorf("%s passes", b.test)
	} else {
		return text, fmt.Errorf("%s has not run to its end: %w", b.test, err)
	}
}

// overlay writes the file with the mistake, and what tells the compiler to take
// it, and returns the name of that.
func (b bug) overlay(root, dir string) (string, error) {
	text, err := b.apply(root)
	if err != nil {
		return "", err
	}
	planted, list := filepath.Join(dir, filepath.Base(b.path)), filepath.Join(dir, "overlay.json")
	files := map[string]string{filepath.Join(root, b.path): planted}
	if console, page, found := strings.Cut(b.path, "/web/console/"); found { // what is built in is packed
		packed := planted + ".gz"
		files[filepath.Join(root, console, "web/packed/console", page+".gz")] = packed
		err = pack(packed, text)
	}
	replace, errJSON := json.Marshal(map[string]map[string]string{"Replace": files})
	return list, errors.Join(err, errJSON, os.WriteFile(planted, text, 0o600), os.WriteFile(list, replace, 0o600))
}

func pack(path string, text []byte) error {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(text)
	return errors.Join(err, w.Close(), os.WriteFile(path, packed.Bytes(), 0o600))
}

// pattern selects the test alone.
func (b bug) pattern() string {
	parts := strings.Split(b.test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// verdict reports whether the test has failed, and what was printed.
func (b bug) verdict(output []byte) (failed bool, text []byte) {
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, len(output)+1)
	for lines.Scan() {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			text = append(append(text, lines.Bytes()...), '\n') // from the compiler
			continue
		}
		text = append(text, event.Output...)
		failed = failed || event.Action == "fail" && event.Test == b.test
	}
	return failed, text
}
