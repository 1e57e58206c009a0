package protocol

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// Certificate is a certificate in files that are read again when they change, so that
// renewing it needs no restart.
type Certificate struct {
	CertFile, KeyFile string          // in PEM form
	Expires           func(time.Time) // is called when a certificate is loaded, with the end of its validity
	Failed            func(error)     // is called when changed files cannot be loaded

	mu      sync.Mutex
	loaded  *tls.Certificate
	changed time.Time // of the newer file
	checked time.Time
}

// recheck is how long a loaded certificate is used without a look at its files.
const recheck = time.Second

// Load reads the files. Their time is taken first: if they change while they
// are read, the next check finds them newer.
func (c *Certificate) Load() error {
	changed, err := c.modified()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return fmt.Errorf("httpapi: --tls-cert, --tls-key: %w", err)
	}
	c.loaded, c.changed, c.checked = &pair, changed, time.Now()
	c.Expires(pair.Leaf.NotAfter)
	return nil
}

func (c *Certificate) modified() (time.Time, error) {
	var newest time.Time
	for _, file := range []string{c.CertFile, c.KeyFile} {
		info, err := os.Stat(file)
		if err != nil {
			return time.Time{}, fmt.Errorf("httpapi: certificate: %w", err)
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest, nil
}

// Current returns the certificate for a handshake. If the files cannot be read, the
// loaded one stays in use.
func (c *Certificate) Current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < recheck {
		return c.loaded, nil
	}
	c.checked = time.Now()
	changed, err := c.modified()
	if err == nil && !changed.Equal(c.changed) {
		err = c.Load()
	}
	if err != nil {
		c.Failed(err)
	}
	return c.loaded, nil
}
