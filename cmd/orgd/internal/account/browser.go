package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/session"
)

var errNobody = errors.New(`nobody has signed in for 10 minutes: run orgd login again, on a machine without a browser with --code`)

// browserSignIn listens on this machine for what the browser brings back from signing in with
// an identity provider (RFC 8252, section 7.3).
type browserSignIn struct {
	state    string
	verifier string                                    // without which nobody can use the code
	accept   func(code string) (who string, err error) // is called once
	sentence func(error) string

	once  sync.Once
	ended chan error // gets one
}

// signInWithBrowser signs in to the service at to by the browser of this machine. finish gets
// the token, and returns whose it is.
func signInWithBrowser(ctx context.Context, t *terminal.Terminal, to remote.Connection, service *client.Client, finish func(token string) (string, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, session.AttemptTTL, errNobody)
	defer cancel()
	b := &browserSignIn{state: random(), verifier: random(), sentence: t.Sentence, ended: make(chan error, 1)}
	b.accept = func(code string) (string, error) {
		issued, err := service.SignInBound(ctx, code, b.verifier)
		if errors.Is(err, client.ErrUnauthorized) {
			err = fmt.Errorf("%s does not accept this sign-in any more: run orgd login again", to.Server)
		}
		if err != nil {
			return "", err
		}
		return finish(issued.Token)
	}
	port, stop, err := b.listen()
	if err != nil {
		return err
	}
	defer stop()
	b.invite(t, to, port)
	select {
	case err := <-b.ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// random returns base64url of 32 random bytes.
func random() string {
	var bytes [32]byte
	_, _ = rand.Read(bytes[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(bytes[:])
}

// listen answers on a free port of the loopback interface until stop is called.
func (b *browserSignIn) listen() (port int, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, nil, err
	}
	s := &http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	var running sync.WaitGroup
	running.Go(func() { _ = s.Serve(l) }) // it ends with stop
	return l.Addr().(*net.TCPAddr).Port, func() {
		// A browser may hold connections that it has not used yet.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Shutdown(ctx)
		_ = s.Close()
		running.Wait()
	}, nil
}

// invite leads the browser to the service, or says where to go.
func (b *browserSignIn) invite(t *terminal.Terminal, to remote.Connection, port int) {
	address := to.SignInURL(url.Values{
		"port": {strconv.Itoa(port)}, "state": {b.state}, "challenge": {session.Challenge(b.verifier)},
	})
	what := "Open this address in a browser on this machine (without one: orgd login --code):"
	if remote.OpenBrowser(t.Getenv, address) {
		what = "Sign in with the browser, which opens. If it does not, open this address on this machine:"
	}
	t.Say("%s\n\n  %s\n", what, address)
}

// ServeHTTP answers the browser. Any page can lead it here, so that only the state counts.
func (b *browserSignIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	code, refused := q.Get("code"), q.Get("error")
	switch {
	case r.Method != http.MethodGet || r.URL.Path != "/":
		http.NotFound(w, r)
		return
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(b.state)) != 1 || code == "" && refused == "":
		sendPage(w, http.StatusBadRequest, "This is not the sign-in that orgd login waits for", "It goes on waiting. Open the address that it has printed.")
		return
	}
	title, text := "This sign-in has ended", "You can close this page."
	b.once.Do(func() {
		who, err := "", fmt.Errorf("the sign-in was refused: %q", refused)
		if code != "" {
			who, err = b.accept(code)
		}
		title, text = "You are signed in on the command line", fmt.Sprintf("As %s. You can close this page.", who)
		if err != nil {
			title, text = "You are not signed in on the command line", b.sentence(err)
		}
		b.ended <- err
	})
	sendPage(w, http.StatusOK, title, text)
}

var (
	//go:embed page.html
	pageText string
	page     = template.Must(template.New("page").Parse(pageText))
)

func sendPage(w http.ResponseWriter, status int, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = page.Execute(w, struct{ Title, Text string }{title, text}) // the browser has gone; nothing to do about it
}
