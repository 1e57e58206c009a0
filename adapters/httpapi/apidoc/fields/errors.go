package fields

import "orgd/domain/fault"

// Error is an example of an error, which is shown in both forms of errors.
type Error struct {
	Name, Summary string
	Status        int
	Code          fault.Code
	Detail        string
	RetryAfter    int // in seconds, 0 for none
	Mistakes      []Mistake
}

// Mistake is one of the things that a detail is about; the line is 0 if it is unknown.
type Mistake struct {
	Path, Text string
	Line       int
}

// Instance is the id of the request in all of them.
const Instance = "0198f3b0-11c2-7d55-a1c4-2f7a90c3e6b8"

// Errors are the examples.
var Errors = []Error{
	{"syntax", "The body is not JSON", 400, 2001, "invalid JSON at byte 17: expected a value", 0, nil},
	{"field", "Fields that are wrong by themselves", 400, 2001, "agent_nmae: unknown field; level: must be one of junior, mid, senior, lead, principal, director, vp, c_suite", 0, nil},
	{"rule", "A rule over the state", 400, 2000, "department: there is no department \"Sales\"", 0, nil},
	{"key_reused", "The key belongs to another request", 400, 2000, "Idempotency-Key: was used before for a different request", 0, nil},
	{"key", "The key is malformed", 400, 2001, "Idempotency-Key: must be 1 to 255 visible ASCII characters", 0, nil},
	{"parameter", "A parameter out of bounds", 400, 2001, "limit: must be a whole number from 1 to 200", 0, nil},
	{"cursor", "A cursor from elsewhere", 400, 2001, "cursor: is not one that this list gave out; begin again without it", 0, nil},
	{"place", "An id from elsewhere", 400, 2001, "Last-Event-ID: is not an id of this stream; begin again without it", 0, nil},
	{"condition", "A condition that cannot be read", 400, 2001, "If-Match: must be \"*\" or a list of entity tags in double quotes", 0, nil},
	{"version_range", "Versions that are not in order", 400, 2000, "from_version: must be less than to_version", 0, nil},
	{"permutation", "No permutation", 400, 2000, "agent_names: must name each of the department's 3 agents exactly once, has 2 names", 0, nil},
	{"entries", "Entries that are wrong by themselves", 400, 2001, "events[3].timestamp: must not be more than 5 minutes ahead; events[7].data.task_id: is required", 0, []Mistake{
		{"events[3].timestamp", "must not be more than 5 minutes ahead", 0},
		{"events[7].data.task_id", "is required", 0},
	}},
	{"unknown_agents", "Entries that name an unknown agent", 400, 2000, "events[0].agent: there is no agent \"Carla\"; events[4].agent: there is no agent \"Carla\"", 0, []Mistake{
		{"events[0].agent", "there is no agent \"Carla\"", 0},
		{"events[4].agent", "there is no agent \"Carla\"", 0},
	}},
	{"not_empty", "The department has agents", 400, 2000, "department \"Engineering\" still has 2 agents", 0, nil},
	{"unauthorized", "No token, or none that is accepted", 401, 1000, "a valid bearer token is required", 0, nil},
	{"revoked", "The session has ended", 401, 1002, "the session was logged out or revoked", 0, nil},
	{"forbidden", "The role does not suffice", 403, 1001, "role \"agent\" may not perform agents.create", 0, nil},
	{"protected", "The label is protected", 403, 1001, "label \"production\" is protected: a department_admin of the agent's department or an admin may set, move and remove it; you may move it to a version that it has named before, with a reason", 0, nil},
	{"link", "The link is not valid", 401, 1000, "this sign-in link is not valid: it works once, for five minutes; orgd login --link makes another", 0, nil},
	{"not_here", "From another machine", 403, 1001, "sign-in links work on the machine of the service only, and this request comes from another one, or through a proxy that is not trusted", 0, nil},
	{"agent", "No such agent", 404, 3000, "agent \"Carla\" not found", 0, nil},
	{"version", "No such version", 404, 3000, "version 9 not found", 0, nil},
	{"label", "No such label", 404, 3001, "agent 0198f3a2-7c41-7d0e-9b52-3f6a1c8e4d70 has no label \"canary\"", 0, nil},
	{"department", "No such department", 404, 3000, "department \"Sales\" not found", 0, nil},
	{"project", "No such project", 404, 3000, "project \"proj-000000000000\" not found", 0, nil},
	{"stale", "Somebody else was faster", 409, 4002, "the resource has changed since it was read", 0, nil},
	{"stale_plan", "The organization has changed since the plan", 409, 4002, "plan_hash: the organization or the document is not the one of this plan", 0, nil},
	{"document", "Entries that are wrong by themselves", 400, 2001, "agents[3].level: must be one of junior, mid, senior, lead, principal, director, vp, c_suite (line 45); agents[7].nmae: unknown field (line 91)", 0, []Mistake{
		{"agents[3].level", "must be one of junior, mid, senior, lead, principal, director, vp, c_suite", 45},
		{"agents[7].nmae", "unknown field", 91},
	}},
	{"refused_document", "Entries that cannot be applied", 400, 2000, "agents[3].status: an agent cannot go from active to onboarding; departments[0].head: there is no agent \"Ada\"", 0, []Mistake{
		{"agents[3].status", "an agent cannot go from active to onboarding", 45},
		{"departments[0].head", "there is no agent \"Ada\"", 12},
	}},
	{"fixed", "The label is fixed", 409, 4000, "label \"release-1\" is fixed: it names version 3 for ever", 0, nil},
	{"currency", "Costs are recorded", 409, 4000, "currency: cannot change once costs are recorded", 0, nil},
	{"agent_taken", "The name is taken", 409, 4001, "an agent named \"Ada Lindqvist\" exists", 0, nil},
	{"status_move", "A status move that is not allowed", 409, 4000, "status: an agent cannot go from on_leave to onboarding", 0, nil},
	{"cannot_restore", "The former department is gone", 409, 4000, "version 2 cannot be restored: department \"Sales\" no longer exists", 0, nil},
	{"not_deleted", "The agent exists", 409, 4000, "agent \"Ada Lindqvist\" is not deleted", 0, nil},
	{"cannot_come_back", "The name is taken", 409, 4000, "the agent cannot be restored: an agent of the name \"Boris Mensah\" exists", 0, nil},
	{"department_taken", "The name is taken", 409, 4001, "a department named \"Engineering\" exists", 0, nil},
	{"webhook", "No such webhook", 404, 3000, "webhook \"0198f4c1-52d3-7e08-b6a9-1c3d5e7f9a0b\" not found", 0, nil},
	{"delivery", "No such delivery", 404, 3000, "delivery \"0198f4c2-07be-8a41-9d12-6f3c5b7a8e90\" not found", 0, nil},
	{"event_gone", "The event is forgotten", 404, 3001, "the event is not retained any more", 0, nil},
	{"project_taken", "No free id was found", 409, 4001, "project id is taken", 0, nil},
	{"project_move", "A status move that is not allowed", 409, 4000, "status: a project cannot go from completed to active", 0, nil},
	{"webhooks_full", "Too many webhooks", 409, 4000, "there are as many webhooks as there may be: 256", 0, nil},
	{"former_secrets", "Too many secrets", 409, 4000, "four former secrets are still valid; wait until the oldest has expired, 24 hours after it was replaced", 0, nil},
	{"webhook_disabled", "A disabled webhook", 409, 4000, "the webhook is disabled; enable it first", 0, nil},
	{"secret", "The token cannot be shown again", 409, 4000, "a request with this Idempotency-Key has issued a secret, which is not shown twice", 0, nil},
	{"rate", "Too many requests", 429, 5000, "at most 6000 requests are allowed in 60 s", 7, nil},
	{"operation", "Too many of one operation", 429, 5001, "at most 60 of agents.create are allowed in 60 s", 12, nil},
	{"concurrency", "Too many at the same time", 429, 5002, "at most 2 of agents.rollback may run at once", 1, nil},
	{"running", "The first request is still running", 429, 5002, "the first request with this Idempotency-Key is still running", 1, nil},
	{"internal", "Something unexpected", 500, 8000, "an unexpected error occurred", 0, nil},
	{"persistence", "The storage failed", 500, 8002, "the storage failed to do this", 0, nil},
	{"unavailable", "Something is down", 503, 8001, "the service is temporarily unavailable", 1, nil},
}

// Refusal is an answer with an error: what its description says, and names of examples. Of
// the headers it has those of every answer, and others.
type Refusal struct {
	Name, Doc string
	Headers   []string
	Examples  []string
	// Unlimited says that no limit counts the request, as those of probes.
	Unlimited bool
}

// Refusals are those of all operations.
var Refusals = []Refusal{
	{"BadRequest", "400. 2001: the request is wrong by itself. 2000: it breaks a rule over several fields or the state.",
		nil, []string{"syntax", "field", "condition", "rule"}, false},
	{"BadCreation", "400. 2001: the request is wrong by itself. 2000: it breaks a rule over several fields or the state, or its `Idempotency-Key` was used for another request.",
		nil, []string{"syntax", "field", "rule", "key_reused"}, false},
	{"BadParameter", "400. 2001: a parameter is wrong by itself.",
		nil, []string{"parameter", "cursor"}, false},
	{"BadPlace", "400. 2001: a parameter is wrong by itself, or `Last-Event-ID` is not an id of a stream with these filters.",
		nil, []string{"parameter", "place"}, false},
	{"BadCondition", "400. 2001: a parameter or `If-Match` is wrong by itself.",
		nil, []string{"parameter", "condition"}, false},
	{"BadKey", "400. 2001: the `Idempotency-Key` is malformed. 2000: it was used for another request.",
		nil, []string{"key", "key_reused"}, false},
	{"BadTrigger", "400. 2001: a parameter, `If-Match` or the `Idempotency-Key` is wrong by itself. 2000: the key was used for another request.",
		nil, []string{"parameter", "condition", "key", "key_reused"}, false},
	{"BadVersionRange", "400. 2001: a parameter is wrong by itself. 2000: the versions are not in order.",
		nil, []string{"parameter", "version_range"}, false},
	{"BadOrder", "400. 2001: the request is wrong by itself. 2000: the names are no exact permutation.",
		nil, []string{"field", "permutation", "key_reused"}, false},
	{"BadBatch", "400. 2001: an entry is wrong by itself. 2000: an entry names an unknown agent. Every bad entry is named.",
		nil, []string{"entries", "unknown_agents", "key_reused"}, false},
	{"BadOrganization", "400. 2001: a parameter or the document is wrong by itself. 2000: the document cannot be applied. Every bad entry is named.",
		nil, []string{"document", "refused_document", "key_reused"}, false},
	{"DepartmentNotEmpty", "400. 2001: a parameter or header is wrong by itself. 2000: the department has agents.",
		nil, []string{"not_empty", "condition"}, false},
	{"Unauthorized", "401. 1000: no valid token. 1002: the session was logged out or revoked.",
		[]string{"WWW-Authenticate"}, []string{"unauthorized", "revoked"}, false},
	{"Forbidden", "403. 1001: the role does not suffice.",
		nil, []string{"forbidden"}, false},
	{"LabelForbidden", "403. 1001: the role does not suffice, or the label is protected.",
		nil, []string{"forbidden", "protected"}, false},
	{"LinkNotValid", "401. 1000: the code is unknown, used or too old.",
		[]string{"WWW-Authenticate"}, []string{"link"}, false},
	{"NotHere", "403. 1001: the request does not come from the machine of the service, or from a page of somebody else.",
		nil, []string{"not_here"}, false},
	{"BadLinkRequest", "400. 2001: the request is wrong by itself.",
		nil, []string{"syntax", "field"}, false},
	{"AgentNotFound", "404. 3000: there is no such agent.",
		nil, []string{"agent"}, false},
	{"VersionNotFound", "404. 3000: there is no such agent, or it has no such version.",
		nil, []string{"agent", "version"}, false},
	{"LabelNotFound", "404. 3000: there is no such agent. 3001: it has no such label, or no such version.",
		nil, []string{"agent", "label"}, false},
	{"DepartmentNotFound", "404. 3000: there is no such department.",
		nil, []string{"department"}, false},
	{"ProjectNotFound", "404. 3000: there is no such project.",
		nil, []string{"project"}, false},
	{"WebhookNotFound", "404. 3000: there is no such webhook.",
		nil, []string{"webhook"}, false},
	{"DeliveryNotFound", "404. 3000: there is no such webhook or delivery. 3001: the event is not retained any more.",
		nil, []string{"webhook", "delivery", "event_gone"}, false},
	{"VersionConflict", "409. 4002: the condition of the request does not hold.",
		nil, []string{"stale"}, false},
	{"CompanyConflict", "409. 4000: costs are recorded in the current currency. 4002: `If-Match` does not hold.",
		nil, []string{"currency", "stale"}, false},
	{"OrganizationConflict", "409. 4002: the plan was made for something else. 4000, 4001: others keep changing what the document changes.",
		nil, []string{"stale_plan", "agent_taken"}, false},
	{"AgentTaken", "409. 4001: the name is taken.",
		nil, []string{"agent_taken"}, false},
	{"AgentConflict", "409. 4000: the status move is not allowed. 4001: the name is taken. 4002: `If-Match` does not hold.",
		nil, []string{"status_move", "agent_taken", "stale"}, false},
	{"LabelConflict", "409. 4000: the label is fixed. 4002: `If-Match` does not hold.",
		nil, []string{"fixed", "stale"}, false},
	{"RollbackConflict", "409. 4000: the version cannot be restored. 4002: `If-Match` does not hold.",
		nil, []string{"cannot_restore", "stale"}, false},
	{"DeletionConflict", "409. 4000: the agent to purge is not deleted. 4002: `If-Match` does not hold.",
		nil, []string{"not_deleted", "stale"}, false},
	{"RestoreConflict", "409. 4000: the agent is not deleted, or its name is taken or its department gone. 4002: `If-Match` does not hold.",
		nil, []string{"not_deleted", "cannot_come_back", "stale"}, false},
	{"DepartmentTaken", "409. 4001: the name is taken.",
		nil, []string{"department_taken"}, false},
	{"ProjectTaken", "409. 4001: no free id was found for the project; try again with a new `Idempotency-Key`.",
		nil, []string{"project_taken"}, false},
	{"ProjectConflict", "409. 4000: the status move is not allowed. 4002: `If-Match` does not hold.",
		nil, []string{"project_move", "stale"}, false},
	{"WebhookNotCreated", "409. 4000: there are too many webhooks, or a request with this `Idempotency-Key` has issued a secret, which is not shown twice.",
		nil, []string{"webhooks_full", "secret"}, false},
	{"SecretConflict", "409. 4000: too many former secrets are valid, or a request with this `Idempotency-Key` has issued a secret, which is not shown twice. 4002: `If-Match` does not hold.",
		nil, []string{"former_secrets", "secret", "stale"}, false},
	{"WebhookConflict", "409. 4000: the webhook is disabled. 4002: `If-Match` does not hold.",
		nil, []string{"webhook_disabled", "stale"}, false},
	{"SecretNotRepeated", "409. 4000: a request with this `Idempotency-Key` has issued a token, which is not shown twice.",
		nil, []string{"secret"}, false},
	{"RateLimited", "429. 5000: too many requests.",
		[]string{"Retry-After"}, []string{"rate"}, false},
	{"RateLimitedOrTooMany", "429. 5000: too many requests. 5002: too many of this operation at the same time.",
		[]string{"Retry-After"}, []string{"rate", "concurrency"}, false},
	{"RateLimitedOrRunning", "429. 5000: too many requests. 5002: a request with the same `Idempotency-Key` is still running.",
		[]string{"Retry-After"}, []string{"rate", "running"}, false},
	{"OperationLimited", "429. 5000: too many requests. 5001: too many of this operation.",
		[]string{"Retry-After"}, []string{"rate", "operation"}, false},
	{"OperationLimitedOrRunning", "429. 5000: too many requests. 5001: too many of this operation. 5002: too many of it at the same time, or a request with the same `Idempotency-Key` is still running.",
		[]string{"Retry-After"}, []string{"rate", "operation", "concurrency", "running"}, false},
	{"AddressLimited", "429. 5000: too many requests from this address.",
		[]string{"Retry-After"}, []string{"rate"}, false},
	{"InternalError", "500. 8000: an unexpected error. 8002: the storage failed.",
		nil, []string{"internal", "persistence"}, false},
	{"InternalErrorUncounted", "500. 8000: an unexpected error.",
		nil, []string{"internal"}, true},
	{"Unavailable", "503. 8001: something that is needed is down, too slow, or the server is stopping.",
		[]string{"Retry-After"}, []string{"unavailable"}, false},
	{"UnavailableUncounted", "503. 8001: the storage is down or its schema too old, or the server is stopping.",
		[]string{"Retry-After"}, []string{"unavailable"}, true},
}
