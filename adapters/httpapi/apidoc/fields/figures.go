package fields

// rate is the kind of a success rate.
const rate = "{type: number, format: double, minimum: 0, maximum: 1}"

var figures = []Noun{{
	Name:    "DepartmentFigures",
	Schemas: map[Form]Schema{Whole: {"DepartmentFigures", "What a department did in 30 days."}},
	Fields: []Field{
		{Name: "department_name", Kind: "Name"},
		{Name: "agent_count", Kind: "Count", Doc: "Agents in the department now."},
		{Name: "active_agent_count", Kind: "Count", Doc: "Those of them with status `active`."},
		{Name: "tasks_completed", Kind: "Count", Doc: "Finished tasks that succeeded."},
		{Name: "tasks_failed", Kind: "Count", Doc: "Finished tasks that failed."},
		{Name: "success_rate", Kind: rate, Null: true, Doc: "Completed tasks of all finished ones, four decimals. Null with less than five finished tasks."},
		{Name: "cost", Kind: "MoneyTotal", Doc: "Cost incurred."},
		{Name: "cost_before", Kind: "MoneyTotal", Doc: "Cost incurred on the 30 days before."},
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
		{Name: "cost", Kind: "MoneyTotal", Doc: "Cost incurred."},
		{Name: "cost_before", Kind: "MoneyTotal", Doc: "Cost incurred in the window of the same length before."},
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
