package fields

import "slices"

var tokens = []Noun{{
	Name:    "Token",
	Schemas: map[Form]Schema{Create: {"IssueTokenRequest", "The token to issue."}},
	Fields: append(slices.Clone(granted),
		Field{Name: "label", Kind: oneLine, Doc: "What the token is for. No control and format characters and no surrounding white space."},
		Field{Name: "ttl_seconds", Kind: "{type: integer, minimum: 1, maximum: 2592000}", Default: "43200", Doc: "How long the token lives."},
	),
}, {
	Name:    "Link",
	Schemas: map[Form]Schema{Create: {"MakeLinkRequest", ""}, Whole: {"SignInLink", "A sign-in link."}},
	Fields: append(slices.Clone(granted),
		Field{Name: "label", Forms: Create, Kind: oneLine, Doc: "What the session is for. No control and format characters and no surrounding white space."},
		Field{Name: "ttl_seconds", Forms: Create, Kind: "{type: integer, minimum: 60, maximum: 604800}", Default: "86400", Doc: "How long the link can be used."},
		Field{Name: "code", Forms: Whole, Kind: "{type: string}", Doc: "The code of the link. It is shown once."},
		Field{Name: "expires_at", Forms: Whole, Kind: "Timestamp"},
		Field{Name: "url", Forms: Whole, Kind: "{type: string}", Null: true, Doc: "The link; null without a `--public-url`, or a console."},
	),
}}

// granted are the fields that say as whom somebody signs in.
var granted = []Field{
	{Name: "subject", Forms: Create, Kind: "TokenSubject", Must: Create},
	{Name: "role", Forms: Create, Kind: "Role", Must: Create},
	{Name: "departments", Forms: Create, Kind: "Name", List: 256, Unique: true,
		Doc: "Departments that a `department_admin` is responsible for, or of whose agents a `reporter` reports (none are all). It has no meaning for other roles."},
}

const oneLine = `{type: string, minLength: 1, maxLength: 128, pattern: '^[^\x00-\x1f\x7f-\x9f]+$'}`
