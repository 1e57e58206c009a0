package client

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Task is a task while [Runtime.Task] runs it.
type Task struct {
	ID string
	// Prompt is what the agent works with. It may not be usable.
	Prompt Resolution
	// Quality says how well the task went, from 0 to 10, empty if nobody says.
	Quality Decimal

	mu     sync.Mutex
	cost   *big.Rat // nil for none
	tokens int64
	failed bool
}

// Task runs work as a task of an agent: it resolves the label as [Runtime.Resolve] does,
// reports that the task has started and, after work has returned, that it is completed, with
// the time that work took. It returns the error of work. The task is reported as failed if
// there is one, if work panics, and if it calls [Task.Fail].
func (r *Runtime) Task(ctx context.Context, agent, id, label string, work func(context.Context, *Task) error, opts ...ResolveOption) (err error) {
	task := &Task{ID: id, Prompt: r.Resolve(ctx, agent, label, opts...)}
	r.reportTask(agent, TaskStarted{TaskID: id, AgentVersion: task.Prompt.Version()})
	began, returned := time.Now(), false
	defer func() {
		r.reportTask(agent, task.completed(returned && err == nil, time.Since(began)))
	}()
	err = work(ctx, task)
	returned = true
	return err
}

// Spend adds to what the task costs and to the tokens that it needs. The error says that one
// of them is negative or no number; then nothing is added. An empty cost is none.
func (t *Task) Spend(cost Decimal, tokens int64) error {
	more, err := cost.Rat()
	if err != nil {
		return err
	}
	if more.Sign() < 0 || tokens < 0 {
		return errors.New("client: what a task spends must not be negative")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tokens += tokens
	if t.cost != nil {
		t.cost.Add(t.cost, more)
	} else if cost != "" {
		t.cost = more
	}
	return nil
}

// Fail has the task reported as failed, whatever work returns.
func (t *Task) Fail() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
}

// completed is what is reported at the end.
func (t *Task) completed(success bool, took time.Duration) TaskCompleted {
	t.mu.Lock()
	defer t.mu.Unlock()
	done := TaskCompleted{
		TaskID: t.ID, Success: success && !t.failed, QualityScore: t.Quality, Tokens: t.tokens, AgentVersion: t.Prompt.Version(),
		DurationSeconds: Decimal(strconv.FormatFloat(float64(took.Round(time.Millisecond).Milliseconds())/1000, 'f', -1, 64)),
	}
	if t.cost != nil {
		done.Cost = Decimal(strings.TrimSuffix(strings.TrimRight(t.cost.FloatString(9), "0"), "."))
	}
	return done
}

// reportTask reports what happens to a task. Its error must not take the place of that of the
// task.
func (r *Runtime) reportTask(agent string, data EventData) {
	if _, err := r.Report(Report{Agent: agent, Data: data}); err != nil {
		r.client.log.Warn("orgd task is not reported", slog.Any("error", err))
	}
}
