package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Version is one stored revision of an agent's identity. It never changes.
type Version struct {
	// EntityID is the id of the agent.
	EntityID string `json:"entity_id"`
	// Number is 1 for the first version, without gaps.
	Number int64 `json:"version"`
	// ContentHash is the SHA-256 of the identity in canonical JSON.
	ContentHash string        `json:"content_hash"`
	Identity    AgentIdentity `json:"snapshot"`
	// SavedBy is the subject that made the change.
	SavedBy string    `json:"saved_by"`
	SavedAt time.Time `json:"saved_at"`
	// Imported says that SavedBy and SavedAt are as [OrganizationDocument] gave them.
	Imported bool `json:"imported"`
	// RestoredFrom is the version that a rollback brought back, else nil.
	RestoredFrom *int64 `json:"restored_from"`
	// Reason is why, in the caller's words.
	Reason *string `json:"reason"`

	// ETag is the tag of the version, for [IfNoneMatch]; it is empty in lists.
	ETag string `json:"-"`
}

func (v *Version) setETag(tag string) { v.ETag = tag }

// VersionDiff is what changed from one version to a later one.
type VersionDiff struct {
	AgentID     string `json:"agent_id"`
	FromVersion int64  `json:"from_version"`
	ToVersion   int64  `json:"to_version"`
	// Changes are sorted by path.
	Changes []FieldChange `json:"field_changes"`
	// Summary says how much changed, in words.
	Summary string `json:"summary"`
}

// FieldChange is what became of one field.
type FieldChange struct {
	// Path has the names of the field and of the objects around it, with dots.
	Path string     `json:"field_path"`
	Type ChangeType `json:"change_type"`
	// OldValue and NewValue are JSON texts, nil if the field was or is not there.
	OldValue *string `json:"old_value"`
	NewValue *string `json:"new_value"`
	// TextDiff is the unified diff of a long text, else nil.
	TextDiff *string `json:"text_diff"`
}

// PatchOp is what an operation of a JSON Patch does.
type PatchOp string

// The operations.
const (
	PatchAdd     PatchOp = "add"
	PatchRemove  PatchOp = "remove"
	PatchReplace PatchOp = "replace"
)

// PatchOperation is one operation of a JSON Patch (RFC 6902).
type PatchOperation struct {
	Op PatchOp `json:"op"`
	// Path is a JSON Pointer.
	Path string `json:"path"`
	// Value is the new value, as [Object] has them; nil for [PatchRemove].
	Value any `json:"value,omitempty"`
}

// RollbackInput says what to bring back.
type RollbackInput struct {
	TargetVersion int64 `json:"target_version"`
	// Reason says why; it is kept with the version.
	Reason string `json:"reason,omitzero"`
}

// Versions lists the versions of an agent's identity, newest first. The agent
// is named by id or, unless it was deleted, by name.
func (c *Client) Versions(ctx context.Context, agent string, q PageQuery) iter.Seq2[Version, error] {
	return walk[Version](ctx, c, path("agents", agent, "versions"), q.values())
}

// VersionPage reads one page of [Client.Versions].
func (c *Client) VersionPage(ctx context.Context, agent string, q PageQuery, opts ...Option) (Page[Version], error) {
	return getPage[Version](ctx, c, path("agents", agent, "versions"), q.values(), opts)
}

// Version reads one version. It takes [IfNoneMatch].
func (c *Client) Version(ctx context.Context, agent string, number int64, opts ...Option) (Version, error) {
	p := path("agents", agent, "versions", strconv.FormatInt(number, 10))
	return get[Version](ctx, c, p, opts, ifNoneMatch)
}

// VersionDiff compares a version with a later one.
func (c *Client) VersionDiff(ctx context.Context, agent string, from, to int64, opts ...Option) (VersionDiff, error) {
	return fetch[VersionDiff](ctx, c, diffRequest(agent, from, to), opts)
}

// VersionPatch is the JSON Patch that turns the identity of a version into that
// of a later one.
func (c *Client) VersionPatch(ctx context.Context, agent string, from, to int64, opts ...Option) ([]PatchOperation, error) {
	r := diffRequest(agent, from, to)
	r.accept = jsonPatchType + ", " + jsonType + ";q=0.1" // errors come as JSON
	a, err := c.do(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	var all []PatchOperation
	return all, a.decode(&all, r)
}

func diffRequest(agent string, from, to int64) request {
	q := values{url.Values{}}.number("from_version", from).number("to_version", to)
	return request{method: http.MethodGet, path: path("agents", agent, "versions", "diff"), query: q.Values}
}

// RollbackAgent writes a new version with the content of an earlier one. What is
// not part of the identity stays. The result is the identity after that, under
// the agent's tag. It takes [IfMatch] and [IdempotencyKey].
func (c *Client) RollbackAgent(ctx context.Context, agent string, in RollbackInput, opts ...Option) (AgentIdentity, error) {
	agent, err := c.agentID(ctx, agent)
	if err != nil {
		return AgentIdentity{}, err
	}
	return fetch[AgentIdentity](ctx, c, rollbackRequest(agent, in), opts)
}

// PreviewRollback makes every check of [Client.RollbackAgent] and returns what
// the agent would become, but changes nothing.
func (c *Client) PreviewRollback(ctx context.Context, agent string, in RollbackInput, opts ...Option) (AgentIdentity, error) {
	r := rollbackRequest(agent, in)
	r.query = url.Values{"dry_run": {"true"}}
	return fetch[AgentIdentity](ctx, c, r, opts)
}

func rollbackRequest(agent string, in RollbackInput) request {
	return request{method: http.MethodPost, path: path("agents", agent, "versions", "rollback"), body: in, takes: []string{ifMatch, changeReason}}
}
