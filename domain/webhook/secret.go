package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

const (
	// FormerValid is how long a secret still signs after another has taken its
	// place.
	FormerValid = 24 * time.Hour
	// maxFormer is how many former secrets may be valid at once.
	maxFormer = 4
)

// ErrSecrets is a secret that is replaced while too many former ones are valid:
// dropping one early would break the receivers that use it.
var ErrSecrets = fault.New(fault.Conflict, "four former secrets are still valid; wait until the oldest has expired, 24 hours after it was replaced")

// Secret is the key that messages are signed with: random bytes. It is shown
// once, to whoever asks for it to be made. Whatever prints or logs it shows
// that there is one and no more; Reveal does not hide it.
type Secret [32]byte

const secretPrefix = "whsec_"

// Reveal is the secret in the text form of Standard Webhooks.
func (s Secret) Reveal() string { return secretPrefix + base64.StdEncoding.EncodeToString(s[:]) }

// String implements [fmt.Stringer].
func (s Secret) String() string { return secretPrefix + "***" }

// Format implements [fmt.Formatter], so that no verb gets to the bytes.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText implements [encoding.TextMarshaler].
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// sign returns one signature of a message (version 1 of Standard Webhooks).
func sign(key, message []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Secrets are the secrets of one webhook.
type Secrets struct {
	Current Secret
	// Former are those that were replaced, the latest first.
	Former []Former
}

// Former is a secret that was replaced and signs until a time.
type Former struct {
	Secret Secret
	Until  time.Time
}

// Sign returns the signatures of a message under every secret that is valid at
// a time, the current one first.
func (s Secrets) Sign(id string, at time.Time, body []byte) string {
	signed := message(id, at, body)
	signatures := sign(s.Current[:], signed)
	for _, f := range s.Former {
		if at.Before(f.Until) {
			signatures += " " + sign(f.Secret[:], signed)
		}
	}
	return signatures
}

// message is what is signed of one.
func message(id string, at time.Time, body []byte) []byte {
	return append([]byte(id+"."+strconv.FormatInt(at.Unix(), 10)+"."), body...)
}

func (s Secrets) rotate(fresh Secret, at time.Time) (Secrets, error) {
	former := []Former{{s.Current, at.Add(FormerValid)}}
	for _, f := range s.Former {
		if at.Before(f.Until) {
			former = append(former, f)
		}
	}
	if len(former) > maxFormer {
		return Secrets{}, ErrSecrets
	}
	return Secrets{Current: fresh, Former: former}, nil
}

// Stored is the form in which stores keep secrets. It reveals them.
func (s Secrets) Stored() []byte {
	w := jsondoc.NewWriter(nil)
	w.Open()
	w.Field("current").Text(s.Current.Reveal())
	w.Field("former").OpenList()
	for _, f := range s.Former {
		w.Open()
		w.Field("secret").Text(f.Secret.Reveal())
		w.Field("until").Time(f.Until)
		w.Close()
	}
	w.CloseList()
	w.Close()
	return w.Bytes()
}

// ParseSecrets reads back what [Secrets.Stored] wrote. Its errors never repeat
// any of it.
func ParseSecrets(stored []byte) (Secrets, error) {
	var s Secrets
	err := jsondoc.ReadStored(stored, func(r *jsondoc.Reader) {
		readSecret(r, "current", &s.Current)
		jsondoc.List(r, "former", &s.Former, maxFormer, func(r *jsondoc.Reader, f *Former) {
			readSecret(r, "secret", &f.Secret)
			r.Time("until", &f.Until)
		})
		r.Require("current", "former")
	})
	if err != nil {
		return Secrets{}, jsondoc.ErrStored.With("the secrets of the webhook are damaged")
	}
	return s, nil
}

func readSecret(r *jsondoc.Reader, field string, dst *Secret) {
	text := ""
	r.Text(field, &text, 1, 128)
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !ok || len(key) != len(dst) {
		r.Fail(field, "must be a secret")
		return
	}
	*dst = Secret(key)
}
