package httpapi

import (
	"cmp"
	"strconv"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/performance"
)

// measures are the handlers of health and performance.
type measures struct{ svc *app.Measures }

// agentHealth serves GET /agents/{agent_name}/health.
func (h measures) agentHealth(r *request.Request) error {
	health, err := find(r, (*request.Request).AgentRef, h.svc.AgentHealth)
	if err != nil {
		return err
	}
	return r.SendObject(func(w *jsondoc.Writer) { writeAgentHealth(w, health) })
}

func writeAgentHealth(w *jsondoc.Writer, h app.AgentHealth) {
	w.Field("agent_id").Text(string(h.Agent.ID()))
	w.Field("agent_name").Text(h.Agent.Name().Text)
	w.Field("lifecycle_status").Text(string(h.Agent.Identity.Status))
	w.Field("last_active_at").TimeOrNull(h.LastActive)
	w.Field("trust").Open()
	w.Field("level").Text(string(h.Agent.Identity.Tools.AccessLevel))
	w.Field("score").Null()
	w.Field("last_evaluated_at").Null()
	w.Close()
	w.Field("performance")
	if h.Performance == nil {
		w.Null()
		return
	}
	w.Open()
	w.Field("quality_score").NumberOrNull(h.Performance.Quality)
	w.Field("collaboration_score").NumberOrNull(h.Performance.Collaboration)
	w.Field("trend").Text(string(h.Performance.Trend))
	w.Close()
}

// performance serves GET /agents/{agent_name}/performance.
func (h measures) performance(r *request.Request) error {
	p, err := find(r, (*request.Request).AgentRef, h.svc.AgentPerformance)
	if err != nil {
		return err
	}
	return r.SendObject(func(w *jsondoc.Writer) { writePerformance(w, p) })
}

func writePerformance(w *jsondoc.Writer, p app.AgentPerformance) {
	week, month := p.Window(performance.Week), p.Window(performance.Month)
	w.Field("agent_name").Text(p.Agent.Name().Text)
	w.Field("tasks_completed_total").Int(p.TasksCompletedTotal)
	w.Field("tasks_completed_7d").Int(week.TasksCompleted)
	w.Field("tasks_completed_30d").Int(month.TasksCompleted)
	w.Field("avg_completion_time_seconds").NumberOrNull(month.AvgCompletionSeconds)
	w.Field("success_rate_percent").NumberOrNull(p.SuccessRatePercent)
	w.Field("cost_per_task").NumberOrNull(month.AvgCostPerTask)
	w.Field("quality_score").NumberOrNull(month.AvgQuality)
	w.Field("collaboration_score").NumberOrNull(month.Collaboration)
	w.Field("trend_direction").Text(string(p.Direction))
	request.Array(p.Windows, func(w *jsondoc.Writer, win performance.Window) { writeWindow(w, win, p.Currency) })(w.Field("windows"))
	request.Array(p.Trends, writeTrend)(w.Field("trends"))
}

func writeWindow(w *jsondoc.Writer, win performance.Window, currency string) {
	w.Open()
	w.Field("window_size").Text(win.Size.String())
	w.Field("data_point_count").Int(win.DataPoints)
	w.Field("tasks_completed").Int(win.TasksCompleted)
	w.Field("tasks_failed").Int(win.TasksFailed)
	w.Field("avg_quality_score").NumberOrNull(win.AvgQuality)
	w.Field("avg_cost_per_task").NumberOrNull(win.AvgCostPerTask)
	w.Field("currency").Text(currency)
	w.Field("avg_completion_time_seconds").NumberOrNull(win.AvgCompletionSeconds)
	w.Field("avg_tokens_per_task").NumberOrNull(win.AvgTokensPerTask)
	w.Field("success_rate").NumberOrNull(win.SuccessRate)
	w.Field("collaboration_score").NumberOrNull(win.Collaboration)
	w.Close()
}

func writeTrend(w *jsondoc.Writer, t performance.Trend) {
	w.Open()
	w.Field("metric_name").Text(string(t.Metric))
	w.Field("window_size").Text(t.Size.String())
	w.Field("direction").Text(string(t.Direction))
	w.Field("slope").NumberOrNull(t.Slope)
	w.Field("data_point_count").Int(t.DataPoints)
	w.Close()
}

// departmentHealth serves GET /departments/{name}/health.
func (h measures) departmentHealth(r *request.Request) error {
	health, err := find(r, (*request.Request).Department, h.svc.DepartmentHealth)
	if err != nil {
		return err
	}
	return r.SendObject(func(w *jsondoc.Writer) { writeDepartmentHealth(w, health) })
}

func writeDepartmentHealth(w *jsondoc.Writer, h app.DepartmentHealth) {
	f := h.Figures
	w.Field("department_name").Text(h.Department.Name.Text)
	w.Field("agent_count").Int(h.Counts.Total)
	w.Field("active_agent_count").Int(h.Counts.Active)
	w.Field("currency").Text(h.Currency)
	w.Field("avg_performance_score").NumberOrNull(f.AvgPerformance)
	w.Field("department_cost_7d").Number(f.Cost7d.Decimal())
	request.Array(f.CostTrend, func(w *jsondoc.Writer, c performance.DailyCost) {
		w.Open()
		w.Field("timestamp").Time(c.Date.Start())
		w.Field("value").Number(c.Cost.Decimal())
		w.Close()
	})(w.Field("cost_trend"))
	w.Field("collaboration_score").NumberOrNull(f.Collaboration)
	w.Field("utilization_percent").Number(f.UtilizationPercent)
}

// departmentFigures serves GET /company/departments/figures.
func (h measures) departmentFigures(r *request.Request) error {
	p, after, err := departmentsPage(r)
	if err != nil {
		return err
	}
	rows, err := h.svc.DepartmentFigures(r.Ctx(), after, p.Limit+1)
	if err != nil {
		return err
	}
	return request.SendPage(r, p, rows, writeDepartmentFigures, func(f app.DepartmentFigures) protocol.Position {
		return protocol.Position{string(f.Department.OrderKey)}
	})
}

func writeDepartmentFigures(w *jsondoc.Writer, f app.DepartmentFigures) {
	w.Open()
	w.Field("department_name").Text(f.Department.Name.Text)
	w.Field("agent_count").Int(f.Counts.Total)
	w.Field("active_agent_count").Int(f.Counts.Active)
	w.Field("tasks_completed").Int(f.Work.TasksCompleted)
	w.Field("tasks_failed").Int(f.Work.TasksFailed)
	w.Field("success_rate").NumberOrNull(f.Work.SuccessRate())
	w.Field("cost").Number(f.Work.Cost.Decimal())
	w.Field("cost_before").Number(f.Before.Cost.Decimal())
	w.Field("cost_before_days").Int(int64(f.BeforeDays))
	w.Field("currency").Text(f.Currency)
	w.Close()
}

// agentFigures serves GET /company/agents/figures.
func (h measures) agentFigures(r *request.Request) error {
	q := r.Query()
	in := app.FigureQuery{
		Agents: agentFilter(q),
		Window: cmp.Or(request.Word(q, "window", maxFilter, performance.ParseSize), performance.Month),
		Sort:   cmp.Or(request.Word(q, "sort", maxFilter, performance.ParseSort), performance.ByName),
	}
	p, err := q.Paging(request.DefaultLimit, 3)
	if err != nil {
		return err
	}
	if p.At != nil {
		if in.After, err = rankIn(p.At); err != nil {
			return err
		}
	}
	in.Limit = p.Limit
	page, err := h.svc.AgentFigures(r.Ctx(), in)
	if err != nil {
		return err
	}
	var reached protocol.Position
	if page.Reached != nil {
		reached = rankPosition(*page.Reached)
	}
	return request.SendFound(r, p, page.Rows, reached, writeAgentFigures, func(f app.AgentFigures) protocol.Position { return rankPosition(f.Rank) })
}

// rankPosition is what [rankIn] reads: the units and the nanos of the value, both "" without
// one, and the name.
func rankPosition(r performance.Ranked) protocol.Position {
	p := protocol.Position{"", "", protocol.Pack(r.Name.Text)}
	if r.Value != nil {
		p[0], p[1] = strconv.FormatInt(r.Value.Units, 10), strconv.FormatInt(r.Value.Nanos, 10)
	}
	return p
}

func rankIn(p protocol.Position) (*performance.Ranked, error) {
	n, err := name.Parse(protocol.Unpack(p[2]))
	if err != nil {
		return nil, protocol.ErrCursor
	}
	if p[0] == "" {
		return &performance.Ranked{Name: n}, nil
	}
	units, noUnits := strconv.ParseInt(p[0], 10, 64)
	nanos, noNanos := strconv.ParseInt(p[1], 10, 64)
	if noUnits != nil || noNanos != nil {
		return nil, protocol.ErrCursor
	}
	return &performance.Ranked{Value: &money.Total{Units: units, Nanos: nanos}, Name: n}, nil
}

func writeAgentFigures(w *jsondoc.Writer, f app.AgentFigures) {
	w.Open()
	w.Field("agent_id").Text(string(f.ID()))
	w.Field("name").Text(f.Name().Text)
	w.Field("role").Text(f.Identity.Role)
	w.Field("department").Text(f.Department().Text)
	w.Field("level").Text(string(f.Identity.Level))
	w.Field("status").Text(string(f.Identity.Status))
	w.Field("owner").TextOrNull(f.Owner)
	w.Field("tags").Texts(f.Tags)
	request.Array(f.Labels, func(w *jsondoc.Writer, l agent.Label) {
		w.Open()
		w.Field("label").Text(l.Name)
		w.Field("version").Int(l.Version)
		w.Close()
	})(w.Field("labels"))
	w.Field("tasks_completed").Int(f.TasksCompleted)
	w.Field("tasks_failed").Int(f.TasksFailed)
	w.Field("success_rate").NumberOrNull(f.SuccessRate())
	w.Field("quality_score").NumberOrNull(f.AvgQuality())
	w.Field("cost").Number(f.Cost.Decimal())
	w.Field("cost_before").Number(f.CostBefore.Decimal())
	w.Field("cost_before_days").Int(int64(f.BeforeDays))
	w.Field("last_active_at").TimeOrNull(f.LastActive)
	w.Close()
}
