package fields

var tokens = []Noun{{
	Name:    "Token",
	Schemas: map[Form]Schema{Create: {"IssueTokenRequest", ""}},
	Fields: []Field{
		{Name: "subject", Kind: "TokenSubject", Must: Create},
		{Name: "role", Kind: "Role", Must: Create},
		{Name: "departments", Kind: "Name", List: 256, Unique: true,
			Doc: "Departments that a `department_admin` is responsible for, or of whose agents a `reporter` reports (none are all); without meaning for other roles."},
		{Name: "label", Kind: `{type: string, minLength: 1, maxLength: 128, pattern: '^[^\x00-\x1f\x7f-\x9f]+$'}`, Doc: "What the token is for. No control and format characters and no surrounding white space."},
		{Name: "ttl_seconds", Kind: "{type: integer, minimum: 1, maximum: 2592000}", Default: "43200", Doc: "How long the token lives."},
	},
}}
