package fields

var tokens = []Noun{{
	Name:    "Token",
	Schemas: map[Form]Schema{Create: {"IssueTokenRequest", ""}},
	Fields: []Field{
		{Name: "subject", Kind: "TokenSubject", Must: Create},
		{Name: "role", Kind: "Role", Must: Create},
		{Name: "departments", Kind: "Name", List: 256, Unique: true,
			Doc: "Departments that a `department_admin` is responsible for, or of whose agents a `reporter` reports (none are all); without meaning for other roles."},
		{Name: "label", Kind: "SessionLabel"},
		{Name: "ttl_seconds", Kind: "{type: integer, minimum: 1, maximum: 2592000}", Default: "43200", Doc: "How long the token lives."},
	},
}}
