package main

import (
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"orgd"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/jsondoc"
)

// newLogger returns a log on standard error.
func newLogger(t *terminal.Terminal, cfg orgd.LogConfig) (*zap.Logger, error) {
	return loggerTo(t, zapcore.Lock(zapcore.AddSync(t.Stderr)), cfg)
}

// BufferedLogger returns a log on standard error for a process that logs many lines
// a second. close writes those that are left. On a terminal the log is not
// buffered, so that lines appear in order with what is printed beside the log.
func BufferedLogger(t *terminal.Terminal, cfg orgd.LogConfig) (log *zap.Logger, close func(), err error) {
	if t.StderrIsTerminal {
		log, err = newLogger(t, cfg)
		return log, func() {}, err
	}
	out := newLineWriter(t.Stderr)
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
	e.EncodeTime = func(t time.Time, out zapcore.PrimitiveArrayEncoder) {
		out.AppendString(t.UTC().Format(jsondoc.TimeLayout))
	}
	e.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if cfg.Format == "console" || cfg.Format == "auto" && t.StderrIsTerminal {
		e.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(e)
	}
	return zap.New(zapcore.NewCore(encoder, out, level)), nil
}
