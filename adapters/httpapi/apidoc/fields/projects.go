package fields

var projects = []Noun{{
	Name: "Project",
	Schemas: map[Form]Schema{
		Whole:  {"Project", "Work that agents do together."},
		Create: {"CreateProjectRequest", "A new project."},
		Change: {"UpdateProjectRequest", "A merge patch of a project."},
	},
	Fields: []Field{
		{Name: "id", Kind: "{type: string, pattern: '^proj-[0-9a-f]{12}$'}", Forms: Whole, Doc: "Never used again."},
		{Name: "name", Kind: "ProjectName", Must: Create},
		{Name: "description", Kind: "ProjectDescription", Default: "''"},
		{Name: "team", Kind: "UUID", In: "AgentReference", List: 50, Unique: true,
			Doc:  "Ids of the agents that work on it; deleted agents are left out.",
			Docs: map[Form]string{Create: "Ids or names of the agents that work on it.", Change: "Replaces the whole team."}},
		{Name: "lead", Kind: "UUID", In: "AgentReference", Null: true,
			Doc:  "Id of the agent that leads it; null also if that agent was deleted.",
			Docs: map[Form]string{Create: "Id or name of the agent that leads it.", Change: "Null clears it."}},
		{Name: "task_ids", Kind: "Text", List: 1000, Unique: true, Forms: Whole | Change, Doc: "Ids of its tasks in other systems.",
			Docs: map[Form]string{Change: "Replaces all of them."}},
		{Name: "deadline", Kind: "Timestamp", In: "DeadlineInput", Null: true, Doc: "When it should be done.",
			Docs: map[Form]string{Create: "", Change: "When it should be done. A date is its midnight in UTC. Null clears it."}},
		{Name: "budget", Kind: "Money", In: "MoneyInput", Default: "0"},
		{Name: "status", Kind: "ProjectStatus", Forms: Whole | Change},
		{Name: "revision", Kind: "Revision", Forms: Whole},
		{Name: "created_at", Kind: "Timestamp", Forms: Whole},
		{Name: "updated_at", Kind: "Timestamp", Forms: Whole},
	},
}}
