package client

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"
)

// aliveSuffix ends the name of a file that says that an owner lives. Its text is host and
// process, its time is when the lease of the owner ends.
const aliveSuffix = ".alive"

// ownerOf finds the owner in the name of a file with events.
var ownerOf = regexp.MustCompile(`-([0-9a-f]{16})\.json`)

// newOwner names a sender in the files that it writes.
func newOwner() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x", b)
}

// lease is how long an owner lives without a sign: three scans.
func (s *sender) lease() time.Duration { return 3 * s.runtime.cfg.MaxAge }

// renew begins the lease anew.
func (s *sender) renew() {
	file := s.path(s.owner + aliveSuffix)
	host, _ := os.Hostname() // without a name the lease counts alone
	text := fmt.Appendf(nil, "%s %d\n", host, os.Getpid())
	s.runtime.fileFailed(file, replaceFile(file, text, time.Now().Add(s.lease()), false))
}

// retire ends the lease.
func (s *sender) retire() {
	if s.hasWritten() {
		s.remove(s.owner + aliveSuffix)
	}
}

// hasWritten reports whether there have been files.
func (s *sender) hasWritten() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names > 0
}

// alive returns the owners that live, this one too, and removes the files of those that have
// ended.
func (s *sender) alive(entries []fs.DirEntry) map[string]bool {
	all := map[string]bool{s.owner: true}
	for _, e := range entries {
		owner, isAlive := strings.CutSuffix(e.Name(), aliveSuffix)
		if !isAlive || owner == s.owner {
			continue
		}
		info, err := e.Info()
		if err == nil && time.Now().Before(info.ModTime()) && !hasEnded(s.path(e.Name())) {
			all[owner] = true
		} else {
			s.remove(e.Name())
		}
	}
	return all
}

// hasEnded reports whether a file names a process of this host that is none any more.
func hasEnded(file string) bool {
	text, err := os.ReadFile(file)
	host, _ := os.Hostname()
	var of string
	var pid int
	if n, _ := fmt.Sscanf(string(text), "%s %d", &of, &pid); err != nil || n != 2 || of != host {
		return false
	}
	return isGone(pid)
}
