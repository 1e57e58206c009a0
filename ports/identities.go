package ports

import (
	"context"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// IdentityLog reads the versions of agents, existing and deleted; an AgentStore
// writes them. Every implementation passes portstest.IdentityLog.
type IdentityLog interface {
	// Versions returns at most limit versions of the agent, the newest first,
	// beginning behind the number before; 0 begins with the newest. It ends with
	// the first that is behind its page, see page.Fits and page.ErrLarge. An agent that never
	// existed has none.
	Versions(ctx context.Context, id agent.ID, before int64, limit int) ([]identity.Version, error)

	// Version returns one version, or identity.ErrVersionNotFound.
	Version(ctx context.Context, id agent.ID, number int64) (identity.Version, error)

	// Content returns the content of one version as it is stored, for whoever only shows
	// it, or identity.ErrVersionNotFound.
	Content(ctx context.Context, id agent.ID, number int64) (identity.Stored, error)
}
