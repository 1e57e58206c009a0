package operate

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"orgd"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// welcome logs where the service is and, on a terminal, prints how to sign in.
type welcome struct {
	t       *terminal.Terminal
	cfg     orgd.Config
	service *orgd.App
	log     *zap.Logger
	dir     string // data directory, absolute
	file    string // where the first token was written; empty at later starts
	served  *remote.Mark
}

// newWelcome writes the first token to its file. At later starts it writes a new
// token if the file still exists.
func newWelcome(t *terminal.Terminal, cfg orgd.Config, service *orgd.App, log *zap.Logger) (*welcome, error) {
	w := &welcome{t: t, cfg: cfg, service: service, log: log}
	var err error
	if w.dir, err = filepath.Abs(cfg.DataDir()); err != nil {
		return nil, err
	}
	if token := service.AdminToken(); token != "" {
		if w.file, err = orgd.SaveAdminToken(cfg, token); err == nil {
			w.file, err = filepath.Abs(w.file)
		}
	} else if _, gone := os.Stat(filepath.Join(w.dir, orgd.AdminTokenName)); gone == nil && cfg.Storage != orgd.MongoDB {
		err = orgd.RenewAdminToken(cfg)
	}
	return w, err
}

// listening logs that the service can be reached at addr.
func (w *welcome) listening(addr net.Addr) {
	url := LocalURL(w.cfg, addr.String())
	if w.cfg.Storage != orgd.MongoDB {
		var err error
		if w.served, err = remote.MarkServed(w.dir, url); err != nil {
			w.log.Error("commands on this machine will not find their token", zap.Error(err))
		}
	}
	w.log.Info("orgd is listening", zap.String("url", url), zap.String("browser", w.page(url)), w.storage(),
		zap.String("version", orgd.Version().Version))
	if w.file != "" {
		w.log.Info("first start: a token of role admin was written", zap.String("file", w.file),
			zap.String("try", fmt.Sprintf(`curl -H "Authorization: Bearer $(cat %s)" %s/api/v1/company`, w.file, url)))
	}
	if w.t.StderrIsTerminal {
		w.print(addr, url)
	}
}

// print prints how to sign in. A link is printed, never logged, at the first start
// of a service that only this machine can reach.
func (w *welcome) print(addr net.Addr, url string) {
	w.t.Say("\nBrowser         %s", w.page(url))
	if w.file != "" {
		w.t.Say("Admin's token   %s", w.file)
	}
	tcp, ok := addr.(*net.TCPAddr)
	if !w.cfg.ServesConsole() || !ok || !tcp.IP.IsLoopback() {
		return
	}
	if w.file == "" {
		w.t.Say("%s login --link signs a browser in.\n", Program())
		return
	}
	link, err := w.service.SignInLink(url)
	if err != nil {
		w.log.Error("no sign-in link", zap.Error(err))
		return
	}
	w.t.Say(`
This link signs your browser in as admin. It works once, for five minutes, on this machine only:

%s

Another one: %s login --link
`, link, Program())
}

// page returns what to open in a browser: the console, or the reference of the API
// if the console is not served.
func (w *welcome) page(url string) string {
	if w.cfg.ServesConsole() {
		return url + "/console"
	}
	return url + "/docs"
}

// storage returns where the data is.
func (w *welcome) storage() zap.Field {
	if w.cfg.Storage == orgd.MongoDB {
		return zap.String("database", w.cfg.Mongo.Database)
	}
	return zap.String("data_dir", w.dir)
}

// LocalURL returns the URL for clients on this machine of a service that listens on
// addr.
func LocalURL(cfg orgd.Config, addr string) string {
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

// Program returns how the program was called, for examples.
func Program() string {
	if strings.Contains(os.Args[0], "go-build") {
		return "go run ./cmd/orgd" // which has put the program there
	}
	return os.Args[0]
}
