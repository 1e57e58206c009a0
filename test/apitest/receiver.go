package apitest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver is an endpoint that webhooks lead to. It answers as it is told and
// keeps what it gets.
type receiver struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	answer func(n int) int // the status of the n-th answer, counted from 1
	got    []message
}

// message is what a receiver got.
type message struct {
	header http.Header
	body   []byte
	at     time.Time
}

// receive opens an endpoint. answer says what it answers; nil means 204.
func receive(t *testing.T, answer func(n int) int) *receiver {
	t.Helper()
	r := &receiver{t: t, answer: answer}
	server := httptest.NewServer(http.HandlerFunc(r.serve))
	r.url = server.URL
	t.Cleanup(server.Close)
	return r
}

func (r *receiver) serve(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return // the sender has gone
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, message{in.Header.Clone(), body, time.Now()})
	status := http.StatusNoContent
	if r.answer != nil {
		status = r.answer(len(r.got))
	}
	w.WriteHeader(status)
}

// answers changes what the receiver answers from now on.
func (r *receiver) answers(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = func(int) int { return status }
}

func (r *receiver) messages() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]message(nil), r.got...)
}

// waits returns the first n messages once they have come.
func (r *receiver) waits(n int, within time.Duration) []message {
	r.t.Helper()
	for end := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		if all := r.messages(); len(all) >= n {
			return all[:n]
		}
		if time.Now().After(end) {
			r.t.Fatalf("%d messages came within %v, want %d", len(r.messages()), within, n)
		}
	}
}

// about returns the messages about agents with these names. Others may have
// come: an event from just before the webhook was made may enter the log after.
func (r *receiver) about(agents ...string) []message {
	var some []message
	for _, m := range r.messages() {
		for _, name := range agents {
			if strings.Contains(string(m.body), `"agent_name":"`+name+`"`) {
				some = append(some, m)
			}
		}
	}
	return some
}

// waitsAbout waits until n messages about these agents have come.
func (r *receiver) waitsAbout(n int, agents ...string) {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("%d messages about %v", n, agents), func() bool { return len(r.about(agents...)) >= n })
}

// verify checks a message as a receiver does that has one secret, by the words
// of the Standard Webhooks specification. It returns how many signatures there
// are.
func (m message) verify(secret string) (int, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return 0, err
	}
	stamp := m.header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return 0, err
	}
	if d := m.at.Sub(time.Unix(seconds, 0)); d < -time.Minute || d > time.Minute {
		return 0, fmt.Errorf("the message is %v old", d)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(m.header.Get("webhook-id") + "." + stamp + "."))
	mac.Write(m.body)
	want := mac.Sum(nil)
	signatures := strings.Split(m.header.Get("webhook-signature"), " ")
	for _, s := range signatures {
		version, text, _ := strings.Cut(s, ",")
		got, err := base64.StdEncoding.DecodeString(text)
		if err == nil && version == "v1" && hmac.Equal(got, want) {
			return len(signatures), nil
		}
	}
	return len(signatures), fmt.Errorf("none of the signatures %q is under this secret", signatures)
}
