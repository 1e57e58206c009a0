package main

import (
	"errors"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"orgd"
	"orgd/domain/jsondoc"
)

// logger returns a log on standard error.
func (p *process) logger(cfg orgd.LogConfig) (*zap.Logger, error) {
	return p.loggerTo(zapcore.Lock(zapcore.AddSync(p.stderr)), cfg)
}

// busyLogger does the same for a process that logs many lines a second. close
// writes those that are left. On a terminal each line appears before what is
// printed after it.
func (p *process) busyLogger(cfg orgd.LogConfig) (log *zap.Logger, close func(), err error) {
	if p.terminal {
		log, err = p.logger(cfg)
		return log, func() {}, err
	}
	out := newLineWriter(p.stderr)
	if log, err = p.loggerTo(out, cfg); err != nil {
		out.close()
	}
	return log, out.close, err
}

func (p *process) loggerTo(out zapcore.WriteSyncer, cfg orgd.LogConfig) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.Level)
	if err != nil {
		return nil, usageError{errors.New("--log-level: " + err.Error())}
	}
	e := zap.NewProductionEncoderConfig()
	e.TimeKey = "time"
	e.MessageKey = "message"
	e.EncodeTime = func(t time.Time, out zapcore.PrimitiveArrayEncoder) {
		out.AppendString(t.UTC().Format(jsondoc.TimeLayout))
	}
	e.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if cfg.Format == "console" || cfg.Format == "auto" && p.terminal {
		e.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(e)
	}
	return zap.New(zapcore.NewCore(encoder, out, level)), nil
}
