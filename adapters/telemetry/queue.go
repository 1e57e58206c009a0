package telemetry

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.uber.org/zap"
)

// Bounds of the spans that wait to be sent. Two thousand are some seconds of a
// busy service.
const (
	maxWaiting    = 2048
	batchSpans    = 512
	exportEvery   = 2 * time.Second
	exportTimeout = 10 * time.Second // tries again included
	complainEvery = time.Minute
)

var errFull = errors.New("telemetry: too many spans wait for the collector")

// queue sends ended spans to a collector, beside the requests that they are of.
// Nobody waits for it: what finds it full is dropped and counted, which the
// processor of the SDK would not tell.
type queue struct {
	exporter sdktrace.SpanExporter
	metrics  *Metrics
	log      *zap.Logger

	waiting    chan sdktrace.ReadOnlySpan
	ending     chan struct{} // closed when no more will come
	ended      chan struct{} // closed when all are sent, or given up
	once       sync.Once
	life       context.Context // of what is being sent
	abort      context.CancelFunc
	failing    atomic.Bool
	complained atomic.Int64 // when the log was last told, in Unix nanoseconds
}

func newQueue(e sdktrace.SpanExporter, m *Metrics, log *zap.Logger) *queue {
	q := &queue{
		exporter: e, metrics: m, log: log, waiting: make(chan sdktrace.ReadOnlySpan, maxWaiting),
		ending: make(chan struct{}), ended: make(chan struct{}),
	}
	q.life, q.abort = context.WithCancel(context.Background())
	go q.run()
	return q
}

// OnStart implements [sdktrace.SpanProcessor].
func (q *queue) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements [sdktrace.SpanProcessor].
func (q *queue) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	select {
	case q.waiting <- s:
	default:
		q.metrics.Spans("dropped", 1)
		q.complain(errFull)
	}
}

func (q *queue) run() {
	defer close(q.ended)
	tick := time.NewTicker(exportEvery)
	defer tick.Stop()
	batch := make([]sdktrace.ReadOnlySpan, 0, batchSpans)
	for {
		select {
		case s := <-q.waiting:
			if batch = append(batch, s); len(batch) < batchSpans {
				continue
			}
		case <-tick.C:
		case <-q.ending:
			q.sendRest(batch)
			return
		}
		batch = q.send(batch)
	}
}

// sendRest sends the batch and what waits behind it.
func (q *queue) sendRest(batch []sdktrace.ReadOnlySpan) {
	for {
		select {
		case s := <-q.waiting:
			if batch = append(batch, s); len(batch) == batchSpans {
				batch = q.send(batch)
			}
		default:
			q.send(batch)
			return
		}
	}
}

// send sends the batch, or gives it up, and returns it empty.
func (q *queue) send(batch []sdktrace.ReadOnlySpan) []sdktrace.ReadOnlySpan {
	if len(batch) == 0 {
		return batch
	}
	ctx, cancel := context.WithTimeout(q.life, exportTimeout)
	defer cancel()
	err := q.exporter.ExportSpans(ctx, batch)
	q.failing.Store(err != nil)
	if err != nil {
		q.metrics.Spans("failed", len(batch))
		q.complain(err)
	} else {
		q.metrics.Spans("exported", len(batch))
	}
	clear(batch) // for the garbage collector
	return batch[:0]
}

// complain tells the log, at most once a minute.
func (q *queue) complain(err error) {
	last, now := q.complained.Load(), time.Now().UnixNano()
	if last != 0 && now-last < int64(complainEvery) || !q.complained.CompareAndSwap(last, now) {
		return
	}
	q.log.Warn("spans of traces are lost", zap.Error(err))
}

// ForceFlush implements [sdktrace.SpanProcessor]. Nobody has to wait for spans to
// be sent but who stops.
func (q *queue) ForceFlush(context.Context) error { return nil }

// Shutdown implements [sdktrace.SpanProcessor]: it sends what is waiting until ctx
// ends.
func (q *queue) Shutdown(ctx context.Context) error {
	q.once.Do(func() { close(q.ending) })
	defer q.abort()
	select {
	case <-q.ended:
		return nil
	case <-ctx.Done():
		q.abort()
		<-q.ended // at once: nothing can be sent any more
		return ctx.Err()
	}
}
