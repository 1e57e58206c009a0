package webhooksend

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"orgd/domain/activity"
	"orgd/domain/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var anything = webhook.Policy{AllowHTTP: true, AllowPrivate: true}

// sending is a sender under a policy, in no hurry unless change says so.
func sending(t *testing.T, p webhook.Policy, change ...func(*Config)) *Sender {
	t.Helper()
	cfg := Default("v1.2.3")
	cfg.Policy = p
	for _, c := range change {
		c(&cfg)
	}
	s, closeIdle := New(cfg)
	t.Cleanup(closeIdle)
	return s
}

// hook is a webhook at a URL, with two secrets.
func hook(t *testing.T, url string) webhook.Webhook {
	t.Helper()
	w := webhook.Webhook{ID: "0190a1b2-0000-7000-8000-00000000000a", URL: url, Revision: 1, Secrets: webhook.Secrets{Current: webhook.Secret{1}}}
	w, err := w.Rotate(webhook.Secret{2}, time.Now())
	if err != nil {
		t.Fatalf("Rotate = %v", err)
	}
	return w
}

var event = activity.Event{
	ID: "0190a1b2-0000-7000-8000-0000000000ee", Type: activity.Hired, At: time.Date(2026, 1, 31, 12, 0, 0, 5e6, time.UTC),
	AgentID: "0190a1b2-0000-7000-8000-00000000000b", AgentName: "Zoë", Description: "hired", Related: `{"actor":"x"}`,
}

// send sends the event to a URL.
func send(t *testing.T, s *Sender, url string) webhook.Result {
	t.Helper()
	return s.Send(t.Context(), hook(t, url).Message(activity.Logged{Event: event}, time.Now()))
}

// got is a request that an endpoint has received.
type got struct {
	*http.Request
	body []byte
}

// endpoint answers as answer does and keeps what it was sent.
type endpoint struct {
	*httptest.Server
	mu  sync.Mutex
	all []got
}

func newEndpoint(t *testing.T, answer http.HandlerFunc) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(e.keep(t, answer))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) keep(t *testing.T, answer http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("the endpoint reads the body: %v", err)
		}
		e.mu.Lock()
		e.all = append(e.all, got{r, body})
		e.mu.Unlock()
		answer(w, r)
	})
}

func (e *endpoint) received() []got {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// verify checks a message as a receiver does that has one secret and nothing of
// this module, by the text of the Standard Webhooks specification.
func verify(g got, secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	h := g.Header
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, h.Get("webhook-id")+"."+h.Get("webhook-timestamp")+".")
	mac.Write(g.body)
	want := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(h.Get("webhook-signature"), " ") {
		version, value, _ := strings.Cut(signature, ",")
		if version == "v1" && hmac.Equal([]byte(value), []byte(want)) {
			return true
		}
	}
	return false
}

// names is a resolver that leads every name to the addresses that next returns.
// It asks a name server of its own, as a real one would be asked.
func names(t *testing.T, next func() net.IP) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("ListenPacket = %v", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			query := make([]byte, 512)
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			if _, err := server.WriteTo(answerTo(query[:n], next), from); err != nil {
				t.Errorf("the name server answers: %v", err)
			}
		}
	}()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("close the name server: %v", err)
		}
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// answerTo answers one question of a name server (RFC 1035): with an address for
// a question of its kind, and with nothing otherwise.
func answerTo(query []byte, next func() net.IP) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	question := query[12 : end+5]
	kind := query[end+2]
	answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
	const a, aaaa = 1, 28
	var address net.IP
	if kind == a || kind == aaaa {
		address = next()
	}
	if v4 := address.To4(); v4 != nil {
		if kind != a {
			return answer
		}
		address = v4
	} else if kind != aaaa {
		return answer
	}
	answer[7] = 1
	answer = append(answer, 0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, byte(len(address)))
	return append(answer, address...)
}
