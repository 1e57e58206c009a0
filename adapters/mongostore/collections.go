package mongostore

// The collections.
const (
	agentsColl        = "agents"
	deletedAgentsColl = "deleted_agents"
	purgedAgentsColl  = "purged_agents"
	versionsColl      = "versions"
	labelMovesColl    = "label_moves"
	departmentsColl   = "departments"
	headcountsColl    = "headcounts"
	projectsColl      = "projects"
	eventsColl        = "events"
	rollupsColl       = "rollups"
	auditColl         = "audit"
	idempotencyColl   = "idempotency"
	locksColl         = "idempotency_locks"
	sessionsColl      = "sessions"
	linksColl         = "sign_in_links"
	webhooksColl      = "webhooks"
	deliveriesColl    = "deliveries"
	reordersColl      = "reorders"
	metaColl          = "meta"
)

// The documents of [metaColl] of which there is one each.
const (
	schemaID    = "schema"
	companyID   = "company"
	outboxID    = "outbox"
	logID       = "log"
	restoringID = "restoring" // while an archive is being restored
)

// flushOrder is the order in which collections are written. Those that two changes
// may conflict in come first. Of two refusals that of the first collection is given.
var flushOrder = []string{
	idempotencyColl, metaColl, reordersColl, departmentsColl, headcountsColl, agentsColl, deletedAgentsColl, purgedAgentsColl, projectsColl, sessionsColl, linksColl,
	webhooksColl, deliveriesColl, rollupsColl, versionsColl, labelMovesColl, eventsColl, auditColl,
}
