package httpapi

import (
	"context"

	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/jsondoc"
	"orgd/domain/performance"
)

// companyDays serves GET /company/days.
func (h measures) companyDays(r *request.Request) error {
	return sendDays(r, func(*request.Request) (key struct{}, _ error) { return key, nil },
		func(ctx context.Context, _ struct{}, size performance.Size) (app.Days, error) {
			return h.svc.CompanyDays(ctx, size)
		})
}

// departmentDays serves GET /departments/{name}/days.
func (h measures) departmentDays(r *request.Request) error {
	return sendDays(r, (*request.Request).Department, h.svc.DepartmentDays)
}

// agentDays serves GET /agents/{agent_name}/days.
func (h measures) agentDays(r *request.Request) error {
	return sendDays(r, (*request.Request).AgentRef, h.svc.AgentDays)
}

// sendDays answers with the days of what the path names.
func sendDays[K any](r *request.Request, path func(*request.Request) (K, error), load func(context.Context, K, performance.Size) (app.Days, error)) error {
	q := r.Query()
	size := performance.Size(q.Number("days", 1, int64(performance.Quarter), int64(performance.Quarter)))
	d, err := find(r, path, func(ctx context.Context, key K) (app.Days, error) {
		if q.Err != nil {
			return app.Days{}, q.Err
		}
		return load(ctx, key, size)
	})
	if err != nil {
		return err
	}
	return r.SendObject(func(w *jsondoc.Writer) { writeDays(w, d) })
}

func writeDays(w *jsondoc.Writer, d app.Days) {
	w.Field("currency").Text(d.Currency)
	if w.Field("first_date"); d.First != nil {
		w.Text(d.First.String())
	} else {
		w.Null()
	}
	request.Array(d.Days, func(w *jsondoc.Writer, day performance.DailyWork) {
		w.Open()
		w.Field("date").Text(day.Date.String())
		w.Field("tasks_completed").Int(day.TasksCompleted)
		w.Field("tasks_failed").Int(day.TasksFailed)
		w.Field("cost").Number(day.Cost.Decimal())
		w.Close()
	})(w.Field("days"))
}
