package fields

// entries are the events that can be reported. What stands in data is kept as it is.
var entries = []Noun{
	entry("TaskStarted", "An agent has begun a task.", "{type: string, const: task_started}"),
	entry("TaskCompleted", "A task has ended, with or without success.", "{type: string, const: task_completed}"),
	entry("CostIncurred", "Money was spent; it counts for the agent and its department.", "{type: string, const: cost_incurred}"),
	entry("ToolUsed", "A tool was used.", "{type: string, const: tool_used}"),
	entry("Delegation", "Work was handed over, or taken over.", "{type: string, enum: [delegation_sent, delegation_received]}"),
	data("TaskStarted", Field{Name: "task_id", Kind: "Text", Must: Create}),
	data("TaskCompleted",
		Field{Name: "task_id", Kind: "Text", Must: Create},
		Field{Name: "success", Kind: "{type: boolean}", Must: Create, Doc: "Whether the task was completed or failed."},
		Field{Name: "duration_seconds", Kind: "{type: number, format: double, minimum: 0, maximum: 1000000000}", Doc: "How long it took."},
		Field{Name: "quality_score", Kind: "ScoreOrNull"},
		Field{Name: "cost", Kind: "MoneyInput", Doc: "What the task cost. An agent's cost of a day is the larger of the sums of these and of `cost_incurred`, so that it never counts twice."},
		Field{Name: "tokens", Kind: "TokenCount"}),
	data("CostIncurred",
		Field{Name: "amount", Kind: "MoneyInput", Must: Create},
		Field{Name: "model", Kind: "Text"},
		Field{Name: "input_tokens", Kind: "TokenCount"},
		Field{Name: "output_tokens", Kind: "TokenCount"}),
	data("ToolUsed",
		Field{Name: "tool", Kind: "Text", Must: Create},
		Field{Name: "success", Kind: "{type: boolean}", Must: Create, Doc: "Whether the tool did what it should."}),
	data("Delegation",
		Field{Name: "task_id", Kind: "Text", Must: Create},
		Field{Name: "counterpart", Kind: "Text", Doc: "The other agent, free text."},
		Field{Name: "score", Kind: "ScoreOrNull", Doc: "How well it went; feeds the collaboration score."}),
}

func entry(name, doc, eventType string) Noun {
	return Noun{
		Name:    name,
		Schemas: map[Form]Schema{Create: {name + "Entry", doc}},
		Fields: []Field{
			{Name: "id", Kind: "EntryId"},
			{Name: "event_type", Kind: eventType, Must: Create},
			{Name: "agent", Kind: "AgentReference", Must: Create},
			{Name: "timestamp", Kind: "EntryTimestamp"},
			{Name: "description", Kind: "EntryDescription", Default: "''"},
			{Name: "related_ids", Kind: "StringMap", Doc: "At most 64 pairs of short texts, none if absent."},
			{Name: "data", Kind: name + "Data", Must: Create},
		},
	}
}

func data(name string, fields ...Field) Noun {
	fields = append(fields, Field{Name: "agent_version", Kind: "{type: integer, format: int64, minimum: 1}", Doc: "The version of the agent that caused it."})
	return Noun{Name: name + "Data", Schemas: map[Form]Schema{Create: {name + "Data", "What an event reports, at most 16 KiB."}}, Open: true, Fields: fields}
}
