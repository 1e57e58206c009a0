package fields

// rate is the kind of a success rate.
const rate = "{type: number, format: double, minimum: 0, maximum: 1}"

var figures = []Noun{{
	Name:    "DepartmentHealth",
	Schemas: map[Form]Schema{Whole: {"DepartmentHealth", "How a department is doing."}},
	Fields: []Field{
		{Name: "department_name", Kind: "Name"},
		{Name: "agent_count", Kind: "Count", Doc: "Agents in the department now."},
		{Name: "active_agent_count", Kind: "Count", Doc: "Those of them with status `active`."},
		{Name: "currency", Kind: "Currency"},
		{Name: "avg_performance_score", Kind: "ScoreOrNull", Doc: "Mean quality score of the last 30 days."},
		{Name: "department_cost_7d", Kind: "MoneyTotal", Doc: "Cost of the last seven UTC days, today included."},
		{Name: "cost_trend", Kind: "{type: array, minItems: 7, maxItems: 7, items: {$ref: '#/components/schemas/CostPoint'}}", Doc: "The same day by day, oldest first."},
		{Name: "collaboration_score", Kind: "ScoreOrNull", Doc: "Mean delegation score of the last 30 days."},
		{Name: "utilization_percent", Kind: "Percent", Doc: "Active agents of all agents, two decimals; 0 without agents."},
	},
}, {
	Name:    "CostPoint",
	Schemas: map[Form]Schema{Whole: {"CostPoint", "What was spent on one day."}},
	Fields: []Field{
		{Name: "timestamp", Kind: "Timestamp", Doc: "Beginning of the day."},
		{Name: "value", Kind: "MoneyTotal"},
	},
}, {
	Name:    "PerformanceWindow",
	Schemas: map[Form]Schema{Whole: {"PerformanceWindow", "What an agent did in a window. With fewer than 5 data points, averages and rates are null."}},
	Fields: []Field{
		{Name: "window_size", Kind: "WindowSize"},
		{Name: "data_point_count", Kind: "Count", Doc: "Finished tasks, with or without success."},
		{Name: "tasks_completed", Kind: "Count"},
		{Name: "tasks_failed", Kind: "Count"},
		{Name: "avg_quality_score", Kind: "ScoreOrNull"},
		{Name: "avg_cost_per_task", Kind: "NonNegativeOrNull"},
		{Name: "currency", Kind: "Currency"},
		{Name: "avg_completion_time_seconds", Kind: "NonNegativeOrNull"},
		{Name: "avg_tokens_per_task", Kind: "NonNegativeOrNull"},
		{Name: "success_rate", Kind: rate, Null: true, Doc: "Successes of all finished tasks."},
		{Name: "collaboration_score", Kind: "ScoreOrNull"},
	},
}, {
	Name:    "DailyFigures",
	Schemas: map[Form]Schema{Whole: {"DailyFigures", "What an agent, a department or the company did on each of the last days."}},
	Fields: []Field{
		{Name: "currency", Kind: "Currency"},
		{Name: "first_date", Kind: "Date", Null: true, Doc: "The first day of all time of which anything was reported that counts in figures. Null without any."},
		{Name: "days", Kind: "DayFigures", List: 90, Doc: "The days, the oldest first, without gaps."},
	},
}, {
	Name:    "DayFigures",
	Schemas: map[Form]Schema{Whole: {"DayFigures", "What was done on one day."}},
	Fields: []Field{
		{Name: "date", Kind: "Date"},
		{Name: "tasks_completed", Kind: "Count", Doc: "Finished tasks that succeeded."},
		{Name: "tasks_failed", Kind: "Count", Doc: "Finished tasks that failed."},
		{Name: "cost", Kind: "MoneyTotal", Doc: "What was spent."},
	},
}, {
	Name:    "DepartmentFigures",
	Schemas: map[Form]Schema{Whole: {"DepartmentFigures", "What a department did in 30 days."}},
	Fields: []Field{
		{Name: "department_name", Kind: "Name"},
		{Name: "agent_count", Kind: "Count", Doc: "Agents in the department now."},
		{Name: "active_agent_count", Kind: "Count", Doc: "Those of them with status `active`."},
		{Name: "tasks_completed", Kind: "Count", Doc: "Finished tasks that succeeded."},
		{Name: "tasks_failed", Kind: "Count", Doc: "Finished tasks that failed."},
		{Name: "success_rate", Kind: rate, Null: true, Doc: "Completed tasks of all finished ones, four decimals. Null with less than five finished tasks."},
		{Name: "cost", Kind: "MoneyTotal", Doc: "What was spent."},
		{Name: "cost_before", Kind: "MoneyTotal", Doc: "What was spent on the 30 days before."},
		{Name: "cost_before_days", Kind: "{type: integer, minimum: 0, maximum: 30}", Doc: "How many of these 30 days there are figures of, counted from the first day of which anything was reported. With few of them, the costs do not compare."},
		{Name: "currency", Kind: "Currency"},
	},
}, {
	Name:    "AgentFigures",
	Schemas: map[Form]Schema{Whole: {"AgentFigures", "An agent as it is now, and what it did in a window."}},
	Fields: []Field{
		{Name: "agent_id", Kind: "UUID"},
		{Name: "name", Kind: "Name"},
		{Name: "role", Kind: "AgentRole"},
		{Name: "department", Kind: "Name", Doc: "Name of the agent's department."},
		{Name: "level", Kind: "AgentLevel"},
		{Name: "status", Kind: "AgentStatus"},
		{Name: "owner", Kind: "AgentOwner", Null: true},
		{Name: "tags", Kind: "AgentTag", List: 16, Unique: true},
		{Name: "labels", Kind: "AgentLabel", List: 16, Doc: "Its labels, in the order of their names, without `latest`."},
		{Name: "tasks_completed", Kind: "Count", Doc: "Finished tasks that succeeded."},
		{Name: "tasks_failed", Kind: "Count", Doc: "Finished tasks that failed."},
		{Name: "success_rate", Kind: rate, Null: true, Doc: "Completed tasks of all finished ones, six decimals. Null with less than five finished tasks."},
		{Name: "quality_score", Kind: "ScoreOrNull", Doc: "Mean score of finished tasks, four decimals. Null with less than five finished tasks, or without a score."},
		{Name: "cost", Kind: "MoneyTotal", Doc: "What was spent."},
		{Name: "cost_before", Kind: "MoneyTotal", Doc: "What was spent in the window of the same length before."},
		{Name: "cost_before_days", Kind: "{type: integer, minimum: 0, maximum: 90}", Doc: "How many days of that window there are figures of, counted from the first day of which anything was reported. With few of them, the costs do not compare."},
		{Name: "last_active_at", Kind: "Timestamp", Null: true, Doc: "Time of its newest event of any type; null if there is none."},
	},
}, {
	Name:    "AgentLabel",
	Schemas: map[Form]Schema{Whole: {"AgentLabel", "A label of an agent."}},
	Fields: []Field{
		{Name: "label", Kind: "LabelName"},
		{Name: "version", Kind: "VersionNumber", Doc: "The version that it names."},
	},
}}
