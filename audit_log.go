package orgd

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"orgd/adapters/auditlog"
	"orgd/adapters/jobs"
	"orgd/app"
	"orgd/ports"
)

// auditLog writes the audit trail to where the configuration says; nil if that is nowhere.
type auditLog struct {
	writer *app.AuditWriter
	file   *auditlog.File // nil for standard output
}

const (
	// auditEvery is the time between two looks for audit entries that no notification
	// announced, and auditGather how long entries wait for others.
	auditEvery  = time.Second
	auditGather = time.Second / 4
)

// stdout is the file name that means standard output.
const stdout = "-"

// openAuditLog opens the file. How far it has come is kept beside it, that of standard
// output in the storage: a process that takes over goes on there.
func openAuditLog(cfg Config, clock ports.Clock, ids ports.IDs, log ports.EventStream, trail ports.AuditLog, progress ports.AuditProgress,
	meter app.AuditMeter,
) (*auditLog, func(), error) {
	if cfg.AuditLog == "" {
		return nil, func() {}, nil
	}
	a, closeFile := &auditLog{}, func() {}
	out := io.Writer(os.Stdout)
	if cfg.Stdout != nil {
		out = cfg.Stdout
	}
	out = auditlog.NewLines(out)
	if cfg.AuditLog != stdout {
		file, err := auditlog.OpenFile(cfg.AuditLog)
		if err != nil {
			return nil, nil, fmt.Errorf("open the audit log: %w", err)
		}
		a.file, out, progress = file, file, file
		closeFile = func() { _ = file.Close() } // what is in it was made durable before
	}
	a.writer = app.NewAuditWriter(clock, ids, log, trail, progress, out, meter)
	return a, closeFile, nil
}

func (a *auditLog) begin(ctx context.Context) error {
	if a == nil {
		return nil
	}
	if err := a.writer.Begin(ctx); err != nil {
		return fmt.Errorf("begin the audit log: %w", err)
	}
	return nil
}

func (a *auditLog) jobs(log ports.EventStream) []jobs.Job {
	if a == nil {
		return nil
	}
	return []jobs.Job{{Name: "audit log", Every: auditEvery, Run: a.writer.Run, Wake: log.Changed, Gather: auditGather}}
}

func (a *auditLog) measure() {
	if a != nil {
		a.writer.Measure()
	}
}

func (a *auditLog) drain(ctx context.Context) error {
	if a == nil {
		return nil
	}
	return a.writer.Drain(ctx)
}

func (a *auditLog) reopen() error {
	if a == nil || a.file == nil {
		return nil
	}
	return a.file.Reopen()
}
