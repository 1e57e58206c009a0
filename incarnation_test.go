package orgd

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// started is a service that is ended and started again.
type started struct {
	app   *App
	token string
	stop  func()
}

func startIn(t *testing.T, c Config) started {
	t.Helper()
	a, stop, err := Build(t.Context(), c, zap.NewNop())
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	t.Cleanup(stop)
	token, _, err := NewToken(c, operator)
	if err != nil {
		t.Fatal(err)
	}
	return started{a, token, stop}
}

// do sends a request with headers, which are names and values in turn, and demands a status.
func (s started) do(t *testing.T, status int, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.app.Handler().ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s %s = %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	return w
}

// hire makes two agents with the label production.
func (s started) hire(t *testing.T) {
	t.Helper()
	s.do(t, http.StatusCreated, "POST", "/departments", `{"name":"Engineering"}`)
	for _, agent := range []string{"Ada", "Bob"} {
		s.do(t, http.StatusCreated, "POST", "/agents", `{"name":"`+agent+`","role":"Reviewer","department":"Engineering"}`)
		s.do(t, http.StatusCreated, "PUT", "/agents/"+agent+"/labels/production", `{"version":1}`)
	}
}

// Who keeps a page of labeled agents would go on with a cursor that is refused.
func TestPageTagCoversTheNextCursor(t *testing.T) {
	const page = "/labels/production/agents?limit=1"
	c := config(t)
	s := startIn(t, c)
	s.hire(t)
	tag := s.do(t, http.StatusOK, "GET", page, "").Header().Get("ETag")
	s.do(t, http.StatusNotModified, "GET", page, "", "If-None-Match", tag)
	s.stop()
	if err := os.Remove(filepath.Join(c.SQLite.Dir, cursorKeyName)); err != nil {
		t.Fatal(err)
	}
	s = startIn(t, c)
	s.do(t, http.StatusOK, "GET", page, "", "If-None-Match", tag)
}
