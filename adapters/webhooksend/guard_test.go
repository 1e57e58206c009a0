package webhooksend

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/webhook"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// Whatever leads to this machine, or to another that is not public, is not
// connected to: the endpoint gets nothing, not even a connection.
func TestNothingPrivateIsReached(t *testing.T) {
	var connections atomic.Int64
	e := newEndpoint(t, status(200))
	e.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	_, port, err := net.SplitHostPort(e.Listener.Addr().String())
	if err != nil {
		t.Fatalf("SplitHostPort = %v", err)
	}
	strict := webhook.Policy{AllowHTTP: true}
	hosts := []string{
		"127.0.0.1", "127.1", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "0x7f000001", "127.0.0.1.", "0.0.0.0", "0", "[::]", "[::1]",
		"[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]",
		"[fe80::1]", "[fe80::1%25lo]", "[::1%25lo]", "localhost", "LOCALHOST", "localhost.", "x.localhost", "ip6-localhost", "ip6-loopback",
		"169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "192.168.0.1", "172.17.0.1", "100.64.0.1", "224.0.0.1", "[ff02::1]", "255.255.255.255",
	}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	for _, host := range hosts {
		// Name servers may know some of the numbers as names; what matters is
		// that nobody is reached.
		got := send(t, sending(t, strict), "http://"+host+":"+port+"/")
		if got.Code != 0 || got.Failure != webhook.BadAddress && got.Failure != webhook.NoName {
			t.Errorf("%s: Send = %+v, want the address refused", host, got)
		}
	}
	for _, address := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "169.254.169.254", "fd00::1", "fe80::1", "64:ff9b::a00:1", "0.0.0.0", "::"} {
		ip := net.IP(netip.MustParseAddr(address).AsSlice())
		s, closeIdle := resolving(Config{Policy: strict, Timeout: Default("").Timeout}, names(t, func() net.IP { return ip }))
		if got := send(t, s, "http://innocent.example:"+port+"/"); got != (webhook.Result{Failure: webhook.BadAddress}) {
			t.Errorf("a name that leads to %s: Send = %+v, want the address refused", address, got)
		}
		closeIdle()
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	if got := send(t, sending(t, anything), e.URL); got.Code != 200 {
		t.Errorf("where it is allowed: Send = %+v, want 200", got)
	}
}

// What a webhook was allowed when it was made is allowed to its messages wherever they
// are sent from, and to no others: not even over a connection that is open already.
func TestMessagesAllow(t *testing.T) {
	e := newEndpoint(t, status(202))
	strict := sending(t, webhook.Policy{})
	w := hook(t, e.URL)
	for _, tt := range []struct {
		allowed webhook.Policy
		want    webhook.Result
	}{
		{anything, webhook.Result{Code: 202}},
		{webhook.Policy{}, webhook.Result{Failure: webhook.BadAddress}},
		{webhook.Policy{AllowHTTP: true}, webhook.Result{Failure: webhook.BadAddress}},
		{webhook.Policy{AllowPrivate: true}, webhook.Result{Failure: webhook.BadAddress}},
		{anything, webhook.Result{Code: 202}},
	} {
		w.Allowed = tt.allowed
		if got := strict.Send(t.Context(), w.Message(activity.Logged{Event: event}, time.Now())); got != tt.want {
			t.Errorf("Send of a webhook that was made under %+v = %+v, want %+v", tt.allowed, got, tt.want)
		}
	}
	if n := len(e.received()); n != 2 {
		t.Errorf("the endpoint got %d requests, want 2", n)
	}
}

// A name is looked up for each connection, and what it leads to then is what is
// checked.
func TestRebinding(t *testing.T) {
	e := newEndpoint(t, status(200))
	_, port, err := net.SplitHostPort(e.Listener.Addr().String())
	if err != nil {
		t.Fatalf("SplitHostPort = %v", err)
	}
	var asked atomic.Int64
	resolver := names(t, func() net.IP {
		if asked.Add(1) <= 2 { // both kinds of the first look-up
			return net.ParseIP("192.0.2.1") // looks no better, but is not this machine
		}
		return net.ParseIP("127.0.0.1")
	})
	s, closeIdle := resolving(Config{Policy: webhook.Policy{AllowHTTP: true}, Timeout: Default("").Timeout}, resolver)
	defer closeIdle()
	for range 3 {
		if got := send(t, s, "http://rebinding.example:"+port+"/"); got.Failure != webhook.BadAddress {
			t.Errorf("Send = %+v, want the address refused", got)
		}
	}
	if asked.Load() < 6 || len(e.received()) != 0 {
		t.Errorf("the name was looked up %d times, the endpoint got %d requests", asked.Load(), len(e.received()))
	}
}

// The scheme is checked at each attempt too: what was stored may not be allowed
// any more.
func TestSchemeAtSending(t *testing.T) {
	e := newEndpoint(t, status(200))
	if got := send(t, sending(t, webhook.Policy{AllowPrivate: true}), e.URL); got.Failure != webhook.BadAddress {
		t.Errorf("Send without TLS = %+v, want it refused", got)
	}
	if n := len(e.received()); n != 0 {
		t.Errorf("the endpoint got %d requests", n)
	}
}

// A proxy in the environment would be asked to connect in our place.
func TestNoProxy(t *testing.T) {
	proxy := newEndpoint(t, status(200))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	e := newEndpoint(t, status(202))
	u, err := url.Parse(e.URL)
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	s, closeIdle := resolving(Config{Policy: anything, Timeout: Default("").Timeout}, names(t, func() net.IP { return net.ParseIP("127.0.0.1") }))
	defer closeIdle()
	if got := send(t, s, "http://elsewhere.example:"+u.Port()); got.Code != 202 {
		t.Errorf("Send = %+v, want the endpoint's own 202", got)
	}
	if n := len(proxy.received()); n != 0 {
		t.Errorf("the proxy got %d requests", n)
	}
}
