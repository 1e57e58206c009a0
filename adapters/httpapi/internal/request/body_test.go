package request

import (
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"orgd/adapters/httpapi/internal/protocol"
)

// anySize lets a body become as large as it wants.
func anySize(int64) error { return nil }

func TestReadAll(t *testing.T) {
	for _, n := range []int{0, 1, firstRead - 1, firstRead, firstRead + 1, 3 * firstRead, mostRead - 1, mostRead, mostRead + 1, 1 << 20} {
		want := strings.Repeat("x", n)
		for what, size := range map[string]int64{"announced": int64(n), "lied high": 1 << 30, "lied low": int64(n / 3)} {
			got, err := readAll(strings.NewReader(want), size, anySize)
			if err != nil || got != want {
				t.Errorf("readAll(%d bytes, %s) = %d bytes, %v", n, what, len(got), err)
			}
		}
		got, err := readAll(iotest.OneByteReader(strings.NewReader(want[:min(n, 2000)])), 1<<20, anySize)
		if err != nil || len(got) != min(n, 2000) {
			t.Errorf("readAll(%d single bytes) = %d bytes, %v", n, len(got), err)
		}
	}
	broken := errors.New("cut")
	if got, err := readAll(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), 9, anySize); !errors.Is(err, broken) {
		t.Errorf("readAll(cut) = %q, %v, want %v", got, err, broken)
	}
}

// A client that announces much and sends little costs little.
func TestReadAllBelievesWhatArrived(t *testing.T) {
	for _, arrived := range []int{0, 10, firstRead, 5 * firstRead, 100 * firstRead} {
		r := io.MultiReader(strings.NewReader(strings.Repeat("x", arrived)), iotest.ErrReader(io.ErrUnexpectedEOF))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readAll(r, 8<<20, anySize)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Error("readAll of a cut body succeeded")
		}
		// Twice of what has arrived, what was half of it before that, and so on; and a little
		// that others allocate meanwhile.
		if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(4*arrived+4*mostRead); got > limit {
			t.Errorf("readAll allocated %d bytes for %d, want at most %d", got, arrived, limit)
		}
	}
}

func TestCheckContentType(t *testing.T) {
	const both, jsonOnly, never = 2, 1, 0
	for typ, want := range map[string]int{
		"application/json":                            both,
		"application/json; charset=utf-8":             both,
		`application/json;charset="UTF-8"`:            both,
		"Application/JSON":                            both,
		"application/merge-patch+json":                jsonOnly, // a patch only
		"application/merge-patch+json; charset=utf-8": jsonOnly,
		"":                                   never,
		"text/plain":                         never,
		"application/json; charset=latin1":   never,
		"application/json; charset=":         never,
		"application/json, application/json": never,
		"application/json; charset=utf-8; charset=latin1": never,
		"application/jsonx":                 never,
		"application/x-www-form-urlencoded": never,
		"multipart/form-data; boundary=x":   never,
		"application/json-patch+json":       never,
		"*/*":                               never,
	} {
		h := http.Header{"Content-Type": {typ}}
		if err := typeOf(h, true); (err == nil) != (want != never) {
			t.Errorf("BodyType(%q) of a patch = %v, want success %v", typ, err, want != never)
		}
		if err := typeOf(h, false); (err == nil) != (want == both) {
			t.Errorf("BodyType(%q) = %v, want success %v", typ, err, want == both)
		}
	}
}

func TestCheckContentTypeHeaders(t *testing.T) {
	for what, h := range map[string]http.Header{
		"none":            {},
		"twice":           {"Content-Type": {protocol.JSON, protocol.JSON}},
		"gzip":            {"Content-Type": {protocol.JSON}, "Content-Encoding": {"gzip"}},
		"identity twice":  {"Content-Type": {protocol.JSON}, "Content-Encoding": {"identity", "identity"}},
		"empty encoding":  {"Content-Type": {protocol.JSON}, "Content-Encoding": {""}},
		"identity, gzip":  {"Content-Type": {protocol.JSON}, "Content-Encoding": {"identity, gzip"}},
		"deflate in caps": {"Content-Type": {protocol.JSON}, "Content-Encoding": {"DEFLATE"}},
	} {
		if err := typeOf(h, true); !errors.Is(err, errBody) {
			t.Errorf("%s: BodyType = %v, want errBody", what, err)
		}
	}
	h := http.Header{"Content-Type": {protocol.JSON}, "Content-Encoding": {"Identity"}}
	if err := typeOf(h, false); err != nil {
		t.Errorf("BodyType(identity) = %v, want nil", err)
	}
}

// typeOf reads the media type of a body that may be a merge patch.
func typeOf(h http.Header, merge bool) error {
	types := []string{protocol.JSON}
	if merge {
		types = append(types, "application/merge-patch+json")
	}
	_, err := BodyType(h, types...)
	return err
}
