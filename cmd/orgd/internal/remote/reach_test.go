package remote

import (
	"errors"
	"testing"
)

// If no setting names the service, the sentence says how to name one.
func TestNoAnswerByDefault(t *testing.T) {
	u := unreachable{Connection{Server: DefaultServer, Setting: DefaultSetting}, noAnswer, "", errors.New("refused")}
	if got, want := u.Error(), `no service answers at http://127.0.0.1:8080 (the default); start one with "orgd serve", or name another with --server`; got != want {
		t.Errorf("unreachable = %s, want %s", got, want)
	}
}
