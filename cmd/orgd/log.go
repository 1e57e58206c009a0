package main

import (
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"orgd"
	"orgd/domain/jsondoc"
)

// newLogger returns a log on standard error.
func newLogger(p *Terminal, cfg orgd.LogConfig) (*zap.Logger, error) {
	return loggerTo(p, zapcore.Lock(zapcore.AddSync(p.Stderr)), cfg)
}

// BufferedLogger returns a log on standard error for a process that logs many lines
// a second. close writes those that are left. On a terminal the log is not
// buffered, so that lines appear in order with what is printed beside the log.
func BufferedLogger(p *Terminal, cfg orgd.LogConfig) (log *zap.Logger, close func(), err error) {
	if p.StderrIsTerminal {
		log, err = newLogger(p, cfg)
		return log, func() {}, err
	}
	out := newLineWriter(p.Stderr)
	if log, err = loggerTo(p, out, cfg); err != nil {
		out.close()
	}
	return log, out.close, err
}

func loggerTo(p *Terminal, out zapcore.WriteSyncer, cfg orgd.LogConfig) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.Level)
	if err != nil {
		return nil, Usagef("--log-level: %w", err)
	}
	e := zap.NewProductionEncoderConfig()
	e.TimeKey = "time"
	e.MessageKey = "message"
	e.EncodeTime = func(t time.Time, out zapcore.PrimitiveArrayEncoder) {
		out.AppendString(t.UTC().Format(jsondoc.TimeLayout))
	}
	e.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if cfg.Format == "console" || cfg.Format == "auto" && p.StderrIsTerminal {
		e.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(e)
	}
	return zap.New(zapcore.NewCore(encoder, out, level)), nil
}
