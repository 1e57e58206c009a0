package fields

var former = []Noun{{
	Name:    "DeletedAgent",
	Schemas: map[Form]Schema{Whole: {"DeletedAgent", "An agent that was deleted."}, Create: {"RestoreAgentRequest", "What an agent comes back as."}},
	Fields: []Field{
		{Name: "id", Kind: "UUID", Forms: Whole},
		{Name: "name", Kind: "Name", Doc: "Its last name.", Docs: map[Form]string{Create: "Another name than its last one."}},
		{Name: "department", Kind: "Name", Doc: "The department that it was in.", Docs: map[Form]string{Create: "Another department than the one that it was in."}},
		{Name: "deleted_at", Kind: "Timestamp", Forms: Whole},
		{Name: "deleted_by", Kind: "Actor", Forms: Whole},
	},
}}
