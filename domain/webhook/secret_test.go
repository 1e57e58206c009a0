package webhook

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
)

// The signature is that of the example that Standard Webhooks implementations
// share.
func TestSignature(t *testing.T) {
	key, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatalf("DecodeString = %v", err)
	}
	signed := message("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 999e6), []byte(`{"test": 2432232314}`))
	if got, want := sign(key, signed), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("sign = %s, want %s", got, want)
	}
}

// Replaced secrets sign for a day, the current one first; a fifth is refused.
func TestRotate(t *testing.T) {
	w := start(t, "")
	for i := range 4 {
		next, err := w.Rotate(secret(byte(i+2)), after(i))
		if err != nil || next.Revision != w.Revision+1 || next.Secrets.Current != secret(byte(i+2)) {
			t.Fatalf("Rotate = %+v, %v", next, err)
		}
		w = next
	}
	if _, err := w.Rotate(secret(9), after(5)); !errors.Is(err, ErrSecrets) || domaintest.Code(err) != 4000 {
		t.Errorf("Rotate while four are valid = %v, want ErrSecrets", err)
	}
	for what, tt := range map[string]struct {
		at   time.Time
		keys []byte
	}{
		"at once":                 {after(5), []byte{5, 4, 3, 2, 1}},
		"when the oldest is over": {dawn.Add(FormerValid), []byte{5, 4, 3, 2}},
		"just before the last is": {after(2).Add(FormerValid), []byte{5, 4}},
		"after a week":            {dawn.Add(7 * 24 * time.Hour), []byte{5}},
	} {
		var want []string
		for _, k := range tt.keys {
			s := secret(k)
			want = append(want, sign(s[:], message("m", tt.at, []byte("{}"))))
		}
		if diff := cmp.Diff(strings.Join(want, " "), w.Secrets.Sign("m", tt.at, []byte("{}"))); diff != "" {
			t.Errorf("Sign %s (-want +got):\n%s", what, diff)
		}
	}
	next, err := w.Rotate(secret(9), dawn.Add(FormerValid))
	if err != nil || len(next.Secrets.Former) != 4 || next.Secrets.Former[0].Secret != secret(5) || next.Secrets.Former[3].Secret != secret(2) {
		t.Errorf("Rotate when the oldest is over = %+v, %v, want it dropped", next.Secrets, err)
	}
}

// No way of printing a webhook shows its secrets; their stored form does.
func TestSecretsAreHidden(t *testing.T) {
	w, err := start(t, "").Rotate(secret(2), after(1))
	if err != nil {
		t.Fatalf("Rotate = %v", err)
	}
	asJSON, err := json.Marshal(w)
	if err != nil {
		t.Fatalf("Marshal = %v", err)
	}
	for _, text := range []string{fmt.Sprint(w), fmt.Sprintf("%+v", w), fmt.Sprintf("%#v", w), fmt.Sprintf("%x %s %q", w.Secrets, w.Secrets, w.Secrets), string(asJSON)} {
		for n := range byte(3) {
			s := secret(n)
			for _, leak := range []string{s.Reveal(), fmt.Sprintf("%x", s[:4]), fmt.Sprint(s[:4]), fmt.Sprintf("%#v", s[:4])[8:]} {
				if n > 0 && strings.Contains(text, strings.Trim(leak, "[]{}")) {
					t.Errorf("%s shows a secret", text)
				}
			}
		}
	}
	got, err := ParseSecrets(w.Secrets.Stored())
	if got.Current.Reveal() != "whsec_AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=" || !strings.HasPrefix(got.Former[0].Secret.Reveal(), "whsec_AQEB") || err != nil {
		t.Errorf("ParseSecrets = %v, %v, want what was stored", got.Current.Reveal(), err)
	}
	if !got.Former[0].Until.Equal(after(1).Add(FormerValid)) {
		t.Errorf("Until = %v", got.Former[0].Until)
	}
	for _, text := range []string{``, `{}`, `{"current":"whsec_topsecret","former":[]}`, `{"current":"topsecret","former":[]}`, `{"current":"whsec_AAAA","former":[]}`} {
		if _, err := ParseSecrets([]byte(text)); err == nil || strings.Contains(err.Error(), "topsecret") || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("ParseSecrets(%s) = %v, want an error without any of it", text, err)
		}
	}
}
