package fields

var labels = []Noun{{
	Name:    "Label",
	Schemas: map[Form]Schema{Whole: {"Label", "A name for a version of an agent."}, Create: {"PutLabelRequest", "What the label is to name."}},
	Fields: []Field{
		{Name: "label", Kind: "LabelName", Forms: Whole, Doc: "Its name; `latest` always names the newest version."},
		{Name: "version", Kind: "VersionNumber", Must: Create, Doc: "The version that it names."},
		{Name: "fixed", Kind: "{type: boolean}", Doc: "Whether it names this version for ever.",
			Docs: map[Form]string{Create: "true has it name this version for ever: it is never moved or removed again. Absent: as it is, false for a new one."}},
		{Name: "protected", Kind: "{type: boolean}", Forms: Whole, Doc: "Whether the agent's department protects it."},
		{Name: "set_by", Kind: "Actor", Forms: Whole},
		{Name: "set_at", Kind: "Timestamp", Forms: Whole},
		{Name: "reason", Kind: "{type: string, minLength: 1, maxLength: 1024}", Null: true, Doc: "Why, in the caller's words."},
	},
}, {
	Name:    "LabelMove",
	Schemas: map[Form]Schema{Whole: {"LabelMove", "An entry of the history of a label."}},
	Fields: []Field{
		{Name: "version", Kind: "VersionNumber", Null: true, Doc: "The version that it named from then on; null if it was removed, or its agent deleted."},
		{Name: "from_version", Kind: "VersionNumber", Null: true, Doc: "The version that it named until then; null if it was new."},
		{Name: "by", Kind: "Actor"},
		{Name: "at", Kind: "Timestamp"},
		{Name: "reason", Kind: "Reason"},
		{Name: "way", Kind: "ChangeWay"},
	},
}, {
	Name:    "ResolvedAgent",
	Schemas: map[Form]Schema{Version: {"ResolvedAgent", "An agent as it is now, and the version of its identity that a label names."}},
	Fields: []Field{
		{Name: "agent_id", Kind: "UUID"},
		{Name: "name", Kind: "Name", Doc: "The agent's current name."},
		{Name: "department", Kind: "Name", Doc: "The agent's current department."},
		{Name: "status", Kind: "AgentStatus", Doc: "The agent's current status, whatever `snapshot` says."},
		{Name: "label", Kind: "LabelName"},
		{Name: "version", Kind: "VersionNumber", Doc: "The version that the label names."},
		{Name: "content_hash", Kind: "ContentHash"},
		{Name: "snapshot", Kind: "Agent", Doc: "The version's identity as it was stored: the text that `content_hash` is of."},
	},
}}
