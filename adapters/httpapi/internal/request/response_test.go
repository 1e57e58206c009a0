package request

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"

	"orgd/domain/jsondoc"
)

// unfinished is a connection that keeps what it was to write: the client left meanwhile.
type unfinished struct {
	http.ResponseWriter
	kept []byte
}

func (w *unfinished) Write(b []byte) (int, error) {
	w.kept = b
	return 0, errors.New("the stream is closed")
}

// What a connection may still be writing is not another answer's buffer: HTTP/2 answers a
// write when the stream has ended, and not when it has read the bytes.
func TestBuffersOfAnswersThatFailed(t *testing.T) {
	send := func(w http.ResponseWriter, text string) {
		c, _ := gin.CreateTestContext(w)
		r := &Request{HTTP: httptest.NewRequest(http.MethodGet, "/", nil), Writer: c.Writer, Env: &Env{Log: zap.NewNop()}, Route: &Route{}}
		if err := r.SendData(func(w *jsondoc.Writer) { w.Text(text) }); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		conn := &unfinished{ResponseWriter: httptest.NewRecorder()}
		send(conn, "what the first client may know")
		before := string(conn.kept)
		send(httptest.NewRecorder(), "what another client may know")
		if got := string(conn.kept); got != before {
			t.Fatalf("the connection writes %s, want %s", got, before)
		}
	}
}
