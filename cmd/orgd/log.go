package main

import (
	"errors"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"orgd"
)

// logger returns a log on standard error.
func (p *process) logger(cfg orgd.LogConfig) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.Level)
	if err != nil {
		return nil, usageError{errors.New("--log-level: " + err.Error())}
	}
	e := zap.NewProductionEncoderConfig()
	e.TimeKey = "time"
	e.MessageKey = "message"
	e.EncodeTime = func(t time.Time, out zapcore.PrimitiveArrayEncoder) {
		out.AppendString(t.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	e.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if cfg.Format == "console" || cfg.Format == "auto" && p.terminal {
		e.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(e)
	}
	out := zapcore.Lock(zapcore.AddSync(p.stderr))
	return zap.New(zapcore.NewCore(encoder, out, level)), nil
}
