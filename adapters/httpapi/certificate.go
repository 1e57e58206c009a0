package httpapi

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"
)

// certificate is a certificate in files that are read again when they change,
// so that renewing it needs no restart.
type certificate struct {
	certFile, keyFile string
	expires           func(time.Time) // is told when a loaded certificate does
	log               *zap.Logger

	mu      sync.Mutex
	loaded  *tls.Certificate
	changed time.Time // of the newer file
	checked time.Time
}

// recheck is how long a loaded certificate is used without a look at its files.
const recheck = time.Second

// load reads the files. Their time is taken first: if they change while they
// are read, the next look finds them newer.
func (c *certificate) load() error {
	changed, err := c.modified()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("httpapi: --tls-cert, --tls-key: %w", err)
	}
	c.loaded, c.changed, c.checked = &pair, changed, time.Now()
	c.expires(pair.Leaf.NotAfter)
	return nil
}

func (c *certificate) modified() (time.Time, error) {
	var newest time.Time
	for _, file := range []string{c.certFile, c.keyFile} {
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

// current returns the certificate for a handshake. Files that cannot be read
// leave the one that is loaded in use.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < recheck {
		return c.loaded, nil
	}
	c.checked = time.Now()
	changed, err := c.modified()
	if err == nil && !changed.Equal(c.changed) {
		err = c.load()
	}
	if err != nil {
		c.log.Warn("certificate not reloaded, the old one stays in use", zap.Error(err))
	}
	return c.loaded, nil
}
