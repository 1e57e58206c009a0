package client

import "time"

// AgentHealth tells how an agent is doing.
type AgentHealth struct {
	AgentID   string      `json:"agent_id"`
	AgentName string      `json:"agent_name"`
	Status    AgentStatus `json:"lifecycle_status"`
	// LastActiveAt is the time of the newest event, nil without any.
	LastActiveAt *time.Time `json:"last_active_at"`
	Trust        Trust      `json:"trust"`
	// Performance has the figures of 30 days, nil without any data.
	Performance *HealthFigures `json:"performance"`
}

// Trust says how far the tools of an agent are trusted. It is set, not measured:
// Score and LastEvaluatedAt are nil.
type Trust struct {
	Level           ToolAccessLevel `json:"level"`
	Score           *Decimal        `json:"score"`
	LastEvaluatedAt *time.Time      `json:"last_evaluated_at"`
}

// HealthFigures is a short form of the performance. Scores are from 0 to 10, nil
// without enough data.
type HealthFigures struct {
	QualityScore       *Decimal       `json:"quality_score"`
	CollaborationScore *Decimal       `json:"collaboration_score"`
	Trend              TrendDirection `json:"trend"`
}

// AgentPerformance has the figures of an agent. The headline figures are of 30
// days; what needs more data than there is, is nil.
type AgentPerformance struct {
	AgentName string `json:"agent_name"`
	// The tasks are those completed with success.
	TasksCompletedTotal int64 `json:"tasks_completed_total"`
	TasksCompleted7d    int64 `json:"tasks_completed_7d"`
	TasksCompleted30d   int64 `json:"tasks_completed_30d"`

	AvgCompletionTimeSeconds *Decimal `json:"avg_completion_time_seconds"`
	SuccessRatePercent       *Decimal `json:"success_rate_percent"`
	CostPerTask              *Decimal `json:"cost_per_task"`
	QualityScore             *Decimal `json:"quality_score"`
	CollaborationScore       *Decimal `json:"collaboration_score"`
	// TrendDirection is that of the success rate or, without enough data, of the
	// quality.
	TrendDirection TrendDirection `json:"trend_direction"`
	// Windows are of 7, 30 and 90 days.
	Windows []PerformanceWindow `json:"windows"`
	// Trends are of every metric over every window.
	Trends []PerformanceTrend `json:"trends"`
}

// PerformanceWindow has the figures of some days. With less than five finished
// tasks the averages and rates are nil.
type PerformanceWindow struct {
	Size WindowSize `json:"window_size"`
	// DataPointCount counts finished tasks, with or without success.
	DataPointCount           int64    `json:"data_point_count"`
	TasksCompleted           int64    `json:"tasks_completed"`
	TasksFailed              int64    `json:"tasks_failed"`
	AvgQualityScore          *Decimal `json:"avg_quality_score"`
	AvgCostPerTask           *Decimal `json:"avg_cost_per_task"`
	Currency                 string   `json:"currency"`
	AvgCompletionTimeSeconds *Decimal `json:"avg_completion_time_seconds"`
	AvgTokensPerTask         *Decimal `json:"avg_tokens_per_task"`
	// SuccessRate is from 0 to 1.
	SuccessRate        *Decimal `json:"success_rate"`
	CollaborationScore *Decimal `json:"collaboration_score"`
}

// PerformanceTrend is where one metric is heading in one window.
type PerformanceTrend struct {
	Metric    Metric         `json:"metric_name"`
	Window    WindowSize     `json:"window_size"`
	Direction TrendDirection `json:"direction"`
	// Slope is the change per day in the unit of the metric.
	Slope          *Decimal `json:"slope"`
	DataPointCount int64    `json:"data_point_count"`
}

// DepartmentHealth has the figures of a department. Scores are means from 0 to
// 10 over 30 days, nil without any data.
type DepartmentHealth struct {
	DepartmentName string `json:"department_name"`
	// AgentCount and ActiveAgentCount are those of now.
	AgentCount          int64    `json:"agent_count"`
	ActiveAgentCount    int64    `json:"active_agent_count"`
	Currency            string   `json:"currency"`
	AvgPerformanceScore *Decimal `json:"avg_performance_score"`
	// Cost7d is what was spent on the last seven UTC days, today included.
	Cost7d Decimal `json:"department_cost_7d"`
	// CostTrend is the same day by day, oldest first.
	CostTrend          []CostPoint `json:"cost_trend"`
	CollaborationScore *Decimal    `json:"collaboration_score"`
	// UtilizationPercent is how many of the agents are active.
	UtilizationPercent Decimal `json:"utilization_percent"`
}

// DepartmentFigures are the figures of one of many departments: its agents now,
// the rest of the last 30 UTC days, today included.
type DepartmentFigures struct {
	DepartmentName   string   `json:"department_name"`
	AgentCount       int64    `json:"agent_count"`
	ActiveAgentCount int64    `json:"active_agent_count"`
	TasksCompleted   int64    `json:"tasks_completed"`
	TasksFailed      int64    `json:"tasks_failed"`
	SuccessRate      *Decimal `json:"success_rate"` // from 0 to 1, nil with less than five finished tasks
	Cost             Decimal  `json:"cost"`         // what was spent
	CostBefore       Decimal  `json:"cost_before"`  // the same of the 30 days before
	// CostBeforeDays is of how many of these 30 days before there are figures.
	CostBeforeDays int64  `json:"cost_before_days"`
	Currency       string `json:"currency"`
}

// DailyFigures are what an agent, a department or the company did on each of the last UTC
// days.
type DailyFigures struct {
	Currency string `json:"currency"`
	// FirstDate is the first day of all time that has figures, nil without any.
	FirstDate *Date        `json:"first_date"`
	Days      []DayFigures `json:"days"` // the oldest first, without gaps, the last one is today
}

// DayFigures are what was done on one day.
type DayFigures struct {
	Date           Date    `json:"date"`
	TasksCompleted int64   `json:"tasks_completed"`
	TasksFailed    int64   `json:"tasks_failed"`
	Cost           Decimal `json:"cost"` // what was spent
}

// CostPoint is the cost of one day.
type CostPoint struct {
	// Timestamp is the beginning of the day.
	Timestamp time.Time `json:"timestamp"`
	Value     Decimal   `json:"value"`
}
