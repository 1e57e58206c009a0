package activity

import "time"

// Query selects a page of a feed, which is in the order of [Position.Compare].
type Query struct {
	AgentID string    // "" means any
	Type    Type      // "" means any
	Since   time.Time // zero means everything retained; inclusive
	After   *Position // events behind this position; nil means from the newest
	Limit   int
}
