package main

import (
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"orgd"
	"orgd/domain/session"
)

// welcome tells the operator where the service is and, once, how to get in.
type welcome struct {
	p     *process
	cfg   orgd.Config
	log   *zap.Logger
	dir   string // data directory, absolute
	token string // still to be shown on the terminal
	file  string // where the token was written instead
	once  sync.Once
}

// newWelcome saves the first token, if there is one and nobody to show it to.
func newWelcome(p *process, cfg orgd.Config, service *orgd.App, log *zap.Logger) (*welcome, error) {
	dir, err := filepath.Abs(cfg.DataDir())
	if err != nil {
		return nil, err
	}
	w := &welcome{p: p, cfg: cfg, log: log, dir: dir, token: service.AdminToken()}
	if w.token != "" && !p.terminal {
		if w.file, err = orgd.SaveAdminToken(cfg, w.token); err != nil {
			return nil, err
		}
		w.file, err = filepath.Abs(w.file)
		w.token = ""
	}
	return w, err
}

// listening reports that the service can be reached.
func (w *welcome) listening(addr net.Addr) {
	url := localURL(w.cfg, addr.String())
	w.log.Info("orgd is listening", zap.String("url", url), zap.String("browser", w.page(url)), w.place(),
		zap.String("version", orgd.Version().Version))
	if w.file != "" {
		w.log.Info("first start: a token of role admin was written", zap.String("file", w.file),
			zap.String("try", curl("$(cat "+w.file+")", url)))
	}
	w.showToken(url)
}

// page is what to open in a browser: the console, or the reference of the API
// where there is none.
func (w *welcome) page(url string) string {
	if w.cfg.ServesConsole() {
		return url + "/console"
	}
	return url + "/docs"
}

// place says where the data lies.
func (w *welcome) place() zap.Field {
	if w.cfg.Storage == orgd.MongoDB {
		return zap.String("database", w.cfg.Mongo.Database)
	}
	return zap.String("data_dir", w.dir)
}

// localURL is where clients on this machine reach the service that listens on addr.
func localURL(cfg orgd.Config, addr string) string {
	scheme := "http"
	if cfg.HTTP.TLSCert != "" {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		addr = net.JoinHostPort("localhost", port)
	}
	return scheme + "://" + addr
}

func curl(token, url string) string {
	return fmt.Sprintf(`curl -H "Authorization: Bearer %s" %s/api/v1/company`, token, url)
}

// showToken prints the first token, unless that was done. url is empty if the
// service could not start.
func (w *welcome) showToken(url string) {
	w.once.Do(func() {
		if w.token == "" {
			return
		}
		text := fmt.Sprintf(`
First start. This token of role admin is shown only now; it is good for %s:

%s
`, hours(session.DefaultTTL), w.token)
		if url != "" {
			text += fmt.Sprintf(`
Address         %s
Browser         %s
Data directory  %s

Try it:

%s
`, url, w.page(url), w.dir, curl(w.token, url))
		}
		w.p.say("%s\nMore tokens: orgd token create --data-dir %s --role editor --subject NAME\n", text, w.dir)
	})
}

func hours(d time.Duration) string { return fmt.Sprintf("%.0f hours", d.Hours()) }
