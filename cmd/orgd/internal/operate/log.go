package operate

import (
	"io"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"orgd"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/jsondoc"
)

// newLogger returns a log on standard error.
func newLogger(t *terminal.Terminal, cfg orgd.LogConfig) (*zap.Logger, error) {
	return loggerTo(t, zapcore.Lock(zapcore.AddSync(terminal.EscapedLog(t.Stderr))), cfg)
}

// BufferedLogger returns a log on standard error for a process that logs many lines
// a second. close writes those that are left. On a terminal the log is not
// buffered, so that lines appear in order with what is printed beside the log.
func BufferedLogger(t *terminal.Terminal, cfg orgd.LogConfig) (log *zap.Logger, close func(), err error) {
	if t.StderrIsTerminal {
		log, err = newLogger(t, cfg)
		return log, func() {}, err
	}
	out := newLineWriter(terminal.EscapedLog(t.Stderr))
	if log, err = loggerTo(t, out, cfg); err != nil {
		out.close()
	}
	return log, out.close, err
}

func loggerTo(t *terminal.Terminal, out zapcore.WriteSyncer, cfg orgd.LogConfig) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.Level)
	if err != nil {
		return nil, terminal.Usagef("--log-level: %w", err)
	}
	e := zap.NewProductionEncoderConfig()
	e.TimeKey = "time"
	e.MessageKey = "message"
	encodeTime := zapcore.TimeEncoderOfLayout(jsondoc.TimeLayout)
	e.EncodeTime = func(t time.Time, out zapcore.PrimitiveArrayEncoder) { encodeTime(t.UTC(), out) }
	e.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if cfg.Format == "console" || cfg.Format == "auto" && t.StderrIsTerminal {
		e.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(e)
	}
	return zap.New(zapcore.NewCore(encoder, out, level)), nil
}

// maxPending bounds the lines that wait to be written, in bytes. Beyond it, Write
// blocks.
const maxPending = 1 << 20

// lineWriter writes a log from its own goroutine. Lines that arrive during a system
// call are written together by the next one. It must be closed, or the last lines
// are lost.
type lineWriter struct {
	out io.Writer

	mu      sync.Mutex
	changed sync.Cond // one of the following
	pending []byte
	writing bool
	closed  bool
	err     error // of the last write

	ended chan struct{}
}

func newLineWriter(out io.Writer) *lineWriter {
	l := &lineWriter{out: out, ended: make(chan struct{})}
	l.changed.L = &l.mu
	go l.run()
	return l
}

// Write queues lines. Its error is that of an earlier write.
func (l *lineWriter) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.pending) > maxPending && !l.closed {
		l.changed.Wait()
	}
	if l.closed {
		return 0, io.ErrClosedPipe
	}
	if len(l.pending) == 0 && !l.writing {
		l.changed.Broadcast()
	}
	l.pending = append(l.pending, text...)
	return len(text), l.err
}

// Sync returns when all queued lines are written.
func (l *lineWriter) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.pending) > 0 || l.writing {
		l.changed.Wait()
	}
	return l.err
}

// close writes the queued lines. Later calls of Write fail.
func (l *lineWriter) close() {
	l.mu.Lock()
	l.closed = true
	l.changed.Broadcast()
	l.mu.Unlock()
	<-l.ended
}

func (l *lineWriter) run() {
	defer close(l.ended)
	l.mu.Lock()
	defer l.mu.Unlock()
	var spare []byte
	for {
		for len(l.pending) == 0 && !l.closed {
			l.changed.Wait()
		}
		if len(l.pending) == 0 {
			return
		}
		batch := l.pending
		l.pending, l.writing = spare[:0], true
		l.mu.Unlock()
		_, err := l.out.Write(batch)
		l.mu.Lock()
		spare, l.writing, l.err = batch, false, err
		l.changed.Broadcast()
	}
}
