package orgd

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
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

// tagged are resources, and what changes each.
var tagged = []struct{ path, method, change, body string }{
	{"/agents/Ada", "PATCH", "/agents/Ada", `{"instructions":"%"}`},
	{"/agents/Ada/versions/2", "", "", ""},
	{"/agents/Ada/labels/production", "", "", ""},
	{"/labels/production/agents", "", "", ""},
	{"/departments/Engineering", "PATCH", "/departments/Engineering", `{"teams":[{"name":"%","lead":"Ada"}]}`},
	{"/departments/Engineering/ceremony-policy", "", "", ""},
	{"/company", "PATCH", "/company", `{"company_name":"%"}`},
}

// changeAll gives everything that is tagged another state.
func (s started) changeAll(t *testing.T, text string) {
	t.Helper()
	for _, r := range tagged {
		if r.method != "" {
			s.do(t, http.StatusOK, r.method, r.change, strings.ReplaceAll(r.body, "%", text))
		}
	}
	s.do(t, http.StatusOK, "PUT", "/agents/Ada/labels/production", `{"version":2}`)
}

// tags returns the entity tag of everything that is tagged, by its path.
func (s started) tags(t *testing.T) map[string]string {
	t.Helper()
	tags := map[string]string{}
	for _, r := range tagged {
		tags[r.path] = s.do(t, http.StatusOK, "GET", r.path, "").Header().Get("ETag")
	}
	return tags
}

// wantNew demands that no tag is taken for one of now.
func (s started) wantNew(t *testing.T, tags map[string]string) {
	t.Helper()
	for _, r := range tagged {
		s.do(t, http.StatusOK, "GET", r.path, "", "If-None-Match", tags[r.path])
		if r.method != "" {
			s.do(t, http.StatusConflict, r.method, r.change, strings.ReplaceAll(r.body, "%", "lost"), "If-Match", tags[r.path])
		}
	}
}

const document = `{"format":1,"company":{"company_name":"Planned"}}`

func (s started) planHash(t *testing.T) string {
	t.Helper()
	var plan struct {
		Data struct {
			Hash string `json:"plan_hash"`
		} `json:"data"`
	}
	if err := json.Unmarshal(s.do(t, http.StatusOK, "POST", "/organization/plan", document).Body.Bytes(), &plan); err != nil {
		t.Fatal(err)
	}
	return plan.Data.Hash
}

// A restore turns revisions and versions back, and then they name other contents.
func TestTagsAndPlansAfterARestore(t *testing.T) {
	c := config(t)
	s := startIn(t, c)
	s.hire(t)
	backup := filepath.Join(t.TempDir(), "backup")
	if err := sqlitestore.Backup(t.Context(), c.SQLite.Dir, backup); err != nil {
		t.Fatal(err)
	}
	s.changeAll(t, "before")
	tags, plan := s.tags(t), s.planHash(t)
	s.stop()
	s = startIn(t, c)
	for path, tag := range tags { // a start alone turns nothing back
		s.do(t, http.StatusNotModified, "GET", path, "", "If-None-Match", tag)
	}
	s.stop()
	if err := sqlitestore.Restore(t.Context(), sqlitestore.Restoration{Backup: backup, Dir: c.SQLite.Dir, Force: true}, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	s = startIn(t, c)
	s.changeAll(t, "after")
	s.wantNew(t, tags)
	s.do(t, http.StatusConflict, "POST", "/organization/apply?plan_hash="+plan, document)
}

// Of a dump of MongoDB nothing but the cursor key, which is to be replaced, says that it was restored.
func TestTagsAndPlansAfterAnotherCursorKey(t *testing.T) {
	c := config(t)
	s := startIn(t, c)
	s.hire(t)
	s.changeAll(t, "before")
	tags, plan := s.tags(t), s.planHash(t)
	s.stop()
	if err := os.Remove(filepath.Join(c.SQLite.Dir, cursorKeyName)); err != nil {
		t.Fatal(err)
	}
	s = startIn(t, c)
	s.wantNew(t, tags)
	s.do(t, http.StatusConflict, "POST", "/organization/apply?plan_hash="+plan, document)
}
