package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Bounds of one export. A collector that is being restarted is back within some
// tries.
const (
	uploadTimeout = 5 * time.Second // of one try
	firstWait     = 250 * time.Millisecond
	lastWait      = 4 * time.Second
	maxReply      = 64 << 10
)

// uploader sends spans to a collector: OTLP over HTTP, as binary protobuf. The
// client of OpenTelemetry does the same, but brings gRPC along, which would be a
// twentieth of the program and more than the image may grow.
type uploader struct {
	url     string
	headers map[string]string
	client  *http.Client
}

var _ otlptrace.Client = uploader{}

func newUploader(url string, headers map[string]string) uploader {
	client := &http.Client{
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return uploader{url: url, headers: headers, client: client}
}

// Start implements [otlptrace.Client].
func (u uploader) Start(context.Context) error { return nil }

// Stop implements [otlptrace.Client].
func (u uploader) Stop(context.Context) error { return nil }

// UploadTraces implements [otlptrace.Client]. It tries again, until ctx ends, what
// the collector or the way to it may accept later.
func (u uploader) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// The request of the service has the same form as data at rest.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		again, after, err := u.try(ctx, body)
		if !again {
			return err
		}
		pause := max(after, wait/2+rand.N(wait))
		if end, ok := ctx.Deadline(); ok && time.Until(end) < pause {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// try sends once. If that fails it tells whether it may go well again, and after
// what time the collector wants to be asked.
func (u uploader) try(ctx context.Context, body []byte) (again bool, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url, bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "orgd")
	for name, value := range u.headers {
		r.Header.Set(name, value)
	}
	answer, err := u.client.Do(r)
	if err != nil {
		return true, 0, err
	}
	_, _ = io.CopyN(io.Discard, answer.Body, maxReply) // to use the connection again
	_ = answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	case http.StatusOK:
		return false, 0, nil
	}
	seconds, _ := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 16) // a date means no time
	return again, time.Duration(seconds) * time.Second, fmt.Errorf("the collector answered %d", answer.StatusCode)
}
