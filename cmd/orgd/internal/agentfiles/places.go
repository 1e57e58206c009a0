package agentfiles

import (
	"slices"
	"strings"
)

// Format is a program whose definitions of agents are read here.
type Format string

// The formats. Plain Markdown is read as that of Claude Code.
const (
	ClaudeCode Format = "claude-code"
	Codex      Format = "codex" // TOML; the others are Markdown with front matter
	Copilot    Format = "copilot"
	Cursor     Format = "cursor"
	OpenCode   Format = "opencode"
)

// Field is a field of an agent that a key of a file sets.
type Field string

// The fields. Every other key goes to the metadata as it is.
const (
	Name         Field = "name"
	Description  Field = "description"
	Model        Field = "model" // of a list the first; all of it goes to the metadata too
	Temperature  Field = "model.temperature"
	MaxTokens    Field = "model.max_tokens"
	Allowed      Field = "tools.allowed"
	Denied       Field = "tools.denied"
	AccessLevel  Field = "tools.access_level"
	Instructions Field = "instructions"
	// permission is a mapping of tools to allow, ask and deny. What is denied as a whole
	// goes to [Denied], everything else to the metadata.
	permission Field = "permission"
)

// Place says into which field of an agent a key of some formats goes.
type Place struct {
	Key   string
	Field Field
	// Value is the one that makes the access level restricted. With any other, the key goes
	// to the metadata.
	Value string
	// Formats are those that have the key. Where several keys of a format have one field,
	// the first is its usual one.
	Formats []Format
}

// Places are all keys that have a place.
var Places = []Place{
	{Key: "name", Field: Name, Formats: []Format{ClaudeCode, Codex, Copilot, Cursor, OpenCode}},
	{Key: "description", Field: Description, Formats: []Format{ClaudeCode, Codex, Copilot, Cursor, OpenCode}},
	{Key: "model", Field: Model, Formats: []Format{ClaudeCode, Codex, Copilot, Cursor, OpenCode}},
	{Key: "tools", Field: Allowed, Formats: []Format{ClaudeCode, Copilot, OpenCode}},
	{Key: "allowed-tools", Field: Allowed, Formats: []Format{ClaudeCode}},
	{Key: "allowedTools", Field: Allowed, Formats: []Format{ClaudeCode}},
	{Key: "disallowedTools", Field: Denied, Formats: []Format{ClaudeCode}},
	{Key: "disallowed-tools", Field: Denied, Formats: []Format{ClaudeCode}},
	{Key: "permission", Field: permission, Formats: []Format{OpenCode}},
	{Key: "permissionMode", Field: AccessLevel, Value: "plan", Formats: []Format{ClaudeCode}},
	{Key: "readonly", Field: AccessLevel, Value: "true", Formats: []Format{Cursor}},
	{Key: "sandbox_mode", Field: AccessLevel, Value: "read-only", Formats: []Format{Codex}},
	{Key: "temperature", Field: Temperature, Formats: []Format{OpenCode}},
	{Key: "max_tokens", Field: MaxTokens, Formats: []Format{OpenCode}},
	{Key: "maxTokens", Field: MaxTokens, Formats: []Format{OpenCode}},
	{Key: "developer_instructions", Field: Instructions, Formats: []Format{Codex}},
}

// placeOf returns the place of a key, in any letter case. Markdown may mix the keys of
// all formats but Codex.
func placeOf(key string, toml bool) (Place, bool) {
	for _, p := range Places {
		if strings.EqualFold(p.Key, key) && (slices.Contains(p.Formats, Codex) == toml || len(p.Formats) > 1 && !toml) {
			return p, true
		}
	}
	return Place{}, false
}
