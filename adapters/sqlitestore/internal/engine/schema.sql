-- The schema of an empty database, which is that of migrations/ applied to one of release 0.9.0.

-- Marks the file as a database of this project: "orgd" in ASCII.
PRAGMA application_id = 0x6f726764;

-- Identifiers that are UUIDs are kept as their 16 bytes, which sort as their
-- text does. Times are milliseconds since 1970 in UTC. Documents are canonical
-- JSON. Keys of names are compared byte by byte, as SQLite compares by default.

CREATE TABLE company (
	id             INTEGER PRIMARY KEY CHECK (id = 1),
	doc            TEXT NOT NULL,
	costs_recorded INTEGER NOT NULL,
	revision       INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL
) STRICT;

-- An empty document reads as the company's defaults.
INSERT INTO company (id, doc, costs_recorded, revision, updated_at)
VALUES (1, '{}', 0, 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));

CREATE TABLE departments (
	name_key       TEXT PRIMARY KEY,
	name           TEXT NOT NULL,
	id             TEXT NOT NULL,
	order_key      TEXT NOT NULL,
	budget_percent INTEGER NOT NULL,
	doc            TEXT NOT NULL,
	revision       INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX departments_order ON departments (order_key, name_key, budget_percent);

-- Versions are only ever appended, and go only with an agent that is purged. Their packed text
-- is that of the version before, as what differs from that of this version. Only versions of
-- agents from release 0.9.0, and of those restored from an archive, have an identity of their
-- own; all others have an empty one. Of imported ones saved_by and saved_at are from where
-- they were imported from.
CREATE TABLE versions (
	seq           INTEGER PRIMARY KEY,
	agent_id      BLOB NOT NULL,
	number        INTEGER NOT NULL,
	identity      TEXT NOT NULL,
	hash          TEXT NOT NULL,
	saved_by      TEXT NOT NULL,
	saved_at      INTEGER NOT NULL,
	restored_from INTEGER,
	reason        TEXT,
	imported      INTEGER NOT NULL DEFAULT 0,
	packed        BLOB,
	UNIQUE (agent_id, number)
) STRICT;

-- The identity of an agent is stored here. The number is what its column identity has: the row
-- of a version that was its newest one.
CREATE TABLE current_identities (
	seq      INTEGER PRIMARY KEY,
	identity TEXT NOT NULL
) STRICT;

-- Lists, counts and the order of agents come from an index in memory. The labels are in the
-- row, so that whoever reads the agent has them. Each tag has a comma on both sides.
CREATE TABLE agents (
	id             BLOB PRIMARY KEY,
	name_key       TEXT NOT NULL,
	name           TEXT NOT NULL,
	department_key TEXT NOT NULL REFERENCES departments (name_key),
	order_key      BLOB NOT NULL,
	status         TEXT NOT NULL,
	level          TEXT NOT NULL,
	identity       INTEGER NOT NULL REFERENCES versions (seq),
	unversioned    TEXT NOT NULL,
	version        INTEGER NOT NULL,
	revision       INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL,
	labels         TEXT NOT NULL DEFAULT '',
	owner          TEXT,
	tags           TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX agents_name ON agents (name_key);

-- Which agents have a label, in the order of the organization, with what lists filter by.
CREATE TABLE labels (
	label          TEXT NOT NULL,
	order_key      BLOB NOT NULL,
	agent_id       BLOB NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
	department_key TEXT NOT NULL,
	status         TEXT NOT NULL,
	version        INTEGER NOT NULL,
	PRIMARY KEY (label, order_key, agent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_agent ON labels (agent_id, label);

-- An update names the status of an agent also if it stays.
CREATE TRIGGER labels_follow AFTER UPDATE OF order_key, department_key, status ON agents
WHEN new.labels <> '' AND (new.order_key <> old.order_key OR new.department_key <> old.department_key OR new.status <> old.status) BEGIN
	UPDATE labels SET order_key = new.order_key, department_key = new.department_key, status = new.status WHERE agent_id = new.id;
END;

-- The history of a label outlives it and its agent, in the order of the agent's revisions.
-- A version of 0 is none.
CREATE TABLE label_moves (
	agent_id     BLOB NOT NULL,
	label        TEXT NOT NULL,
	revision     INTEGER NOT NULL,
	from_version INTEGER NOT NULL,
	to_version   INTEGER NOT NULL,
	actor        TEXT NOT NULL,
	at           INTEGER NOT NULL,
	reason       TEXT,
	way          TEXT NOT NULL,
	PRIMARY KEY (agent_id, label, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_moves_version ON label_moves (agent_id, label, to_version);

-- An agent that was deleted, as it was last: it can be restored.
CREATE TABLE former_agents (
	id          BLOB PRIMARY KEY,
	name_key    TEXT NOT NULL,
	name        TEXT NOT NULL,
	department  TEXT NOT NULL,
	order_key   BLOB NOT NULL,
	identity    INTEGER NOT NULL,
	unversioned TEXT NOT NULL,
	version     INTEGER NOT NULL,
	revision    INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	deleted_at  INTEGER NOT NULL,
	deleted_by  TEXT NOT NULL,
	owner       TEXT,
	tags        TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX former_agents_deletion ON former_agents (deleted_at, id);

-- Agents that were purged, of which rows may be left, and when: what others report of them is
-- refused for a while from then on.
CREATE TABLE purged_agents (
	id BLOB PRIMARY KEY,
	at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The number of an event is its position in the log: it never comes again. The department is
-- that of its agent then. Feeds of all types merge those of each type: an entry in an index of
-- all would be a good part of the work on an event.
CREATE TABLE events (
	seq            INTEGER PRIMARY KEY AUTOINCREMENT,
	id             BLOB NOT NULL UNIQUE,
	type           TEXT NOT NULL,
	at             INTEGER NOT NULL,
	agent_id       BLOB NOT NULL,
	agent_name     TEXT NOT NULL,
	description    TEXT NOT NULL,
	related        TEXT NOT NULL,
	data           TEXT,
	initiated_by   TEXT NOT NULL,
	metadata       TEXT NOT NULL,
	department_key TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX events_type ON events (type, at, id);
CREATE INDEX events_agent_type ON events (agent_id, type, at, id);

-- How far the log had come at a time, for finding out where it begins. The mark
-- of time 0 is its beginning.
CREATE TABLE log_marks (
	at  INTEGER PRIMARY KEY,
	seq INTEGER NOT NULL
) STRICT;

-- Daily figures. A sum is units + nanos × 10⁻⁹; nanos may exceed a unit. The excess is what the
-- cost of a day has beyond what was incurred: what finished tasks say more.
CREATE TABLE agent_days (
	owner               BLOB NOT NULL,
	day                 INTEGER NOT NULL,
	tasks_completed     INTEGER NOT NULL,
	tasks_failed        INTEGER NOT NULL,
	duration_count      INTEGER NOT NULL,
	duration_units      INTEGER NOT NULL,
	duration_nanos      INTEGER NOT NULL,
	quality_count       INTEGER NOT NULL,
	quality_units       INTEGER NOT NULL,
	quality_nanos       INTEGER NOT NULL,
	task_cost_count     INTEGER NOT NULL,
	task_cost_units     INTEGER NOT NULL,
	task_cost_nanos     INTEGER NOT NULL,
	tokens_count        INTEGER NOT NULL,
	tokens_units        INTEGER NOT NULL,
	tokens_nanos        INTEGER NOT NULL,
	collaboration_count INTEGER NOT NULL,
	collaboration_units INTEGER NOT NULL,
	collaboration_nanos INTEGER NOT NULL,
	cost_count          INTEGER NOT NULL,
	cost_units          INTEGER NOT NULL,
	cost_nanos          INTEGER NOT NULL,
	excess_count        INTEGER NOT NULL DEFAULT 0,
	excess_units        INTEGER NOT NULL DEFAULT 0,
	excess_nanos        INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;

-- The owner is the id of a department and not its name, which another department may get later.
CREATE TABLE department_days (
	owner               TEXT NOT NULL,
	day                 INTEGER NOT NULL,
	tasks_completed     INTEGER NOT NULL,
	tasks_failed        INTEGER NOT NULL,
	duration_count      INTEGER NOT NULL,
	duration_units      INTEGER NOT NULL,
	duration_nanos      INTEGER NOT NULL,
	quality_count       INTEGER NOT NULL,
	quality_units       INTEGER NOT NULL,
	quality_nanos       INTEGER NOT NULL,
	task_cost_count     INTEGER NOT NULL,
	task_cost_units     INTEGER NOT NULL,
	task_cost_nanos     INTEGER NOT NULL,
	tokens_count        INTEGER NOT NULL,
	tokens_units        INTEGER NOT NULL,
	tokens_nanos        INTEGER NOT NULL,
	collaboration_count INTEGER NOT NULL,
	collaboration_units INTEGER NOT NULL,
	collaboration_nanos INTEGER NOT NULL,
	cost_count          INTEGER NOT NULL,
	cost_units          INTEGER NOT NULL,
	cost_nanos          INTEGER NOT NULL,
	excess_count        INTEGER NOT NULL DEFAULT 0,
	excess_units        INTEGER NOT NULL DEFAULT 0,
	excess_nanos        INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;

-- The tasks that an agent ever completed.
CREATE TABLE agent_totals (
	agent_id        BLOB PRIMARY KEY,
	tasks_completed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
	id         TEXT PRIMARY KEY,
	status     TEXT NOT NULL,
	lead       TEXT,
	doc        TEXT NOT NULL,
	revision   INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_status ON projects (status, id);
CREATE INDEX projects_lead ON projects (lead, id, status);

-- The audit trail is two tables: changes are the entries of the change log, and reports do not
-- lie between them. Each entry has a number in the log of events. What is shown of a change is
-- JSON. The list of all entries by time is merged of three indexes.
CREATE TABLE audit (
	seq           INTEGER PRIMARY KEY,
	at            INTEGER NOT NULL,
	id            BLOB NOT NULL,
	actor         TEXT NOT NULL,
	action        TEXT NOT NULL,
	route         TEXT NOT NULL,
	resource      TEXT NOT NULL,
	from_revision INTEGER NOT NULL,
	to_revision   INTEGER NOT NULL,
	request_id    TEXT NOT NULL
) STRICT;
CREATE INDEX audit_resource ON audit (resource, at, id, actor);
CREATE INDEX audit_others ON audit (at, id) WHERE resource <> 'activities';

CREATE TABLE changes (
	seq            INTEGER PRIMARY KEY,
	at             INTEGER NOT NULL,
	id             BLOB NOT NULL,
	actor          TEXT NOT NULL,
	action         TEXT NOT NULL,
	route          TEXT NOT NULL,
	resource       TEXT NOT NULL,
	from_revision  INTEGER NOT NULL,
	to_revision    INTEGER NOT NULL,
	request_id     TEXT NOT NULL,
	department_key TEXT NOT NULL,
	change         TEXT NOT NULL
) STRICT;
CREATE INDEX changes_time ON changes (at, id, actor, action, department_key);

-- Entries of the audit trail are found by what is known of them in blocks: an index of
-- resources wrote a page for almost every change. since and until are the earliest and the
-- latest time in a block, last is the number of its last entry.
CREATE TABLE audit_blocks (
	last    INTEGER PRIMARY KEY,
	since   INTEGER NOT NULL,
	until   INTEGER NOT NULL,
	entries BLOB NOT NULL
) STRICT;
CREATE INDEX audit_blocks_time ON audit_blocks (until, since);

-- A record without status has no reply: it held a secret. Its departments are
-- keys, one a line.
CREATE TABLE idempotency_records (
	key         TEXT PRIMARY KEY,
	fingerprint TEXT NOT NULL,
	at          INTEGER NOT NULL,
	departments TEXT NOT NULL,
	status      INTEGER,
	body        BLOB,
	etag        TEXT,
	location    TEXT
) STRICT;
CREATE INDEX idempotency_records_at ON idempotency_records (at);

-- The kind says how a session began, the label what it is for.
CREATE TABLE sessions (
	id           TEXT PRIMARY KEY,
	issuer       TEXT NOT NULL,
	subject      TEXT NOT NULL,
	role         TEXT NOT NULL,
	departments  TEXT NOT NULL,
	agent        TEXT NOT NULL,
	issued_at    INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	kind         TEXT NOT NULL DEFAULT 'external',
	label        TEXT NOT NULL DEFAULT '',
	last_used_at INTEGER
) STRICT;
CREATE INDEX sessions_order ON sessions (issued_at DESC, id);
CREATE INDEX sessions_subject ON sessions (subject, issued_at DESC, id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- A revocation may come before its session is known and outlive its record.
CREATE TABLE revocations (
	session_id TEXT PRIMARY KEY,
	revoked_by TEXT NOT NULL,
	at         INTEGER NOT NULL,
	until      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX revocations_at ON revocations (at);
CREATE INDEX revocations_until ON revocations (until);

-- The time of the latest revocation, which has its meaning also when that one has
-- expired: who has read up to it finds those that are stored later behind it.
CREATE TABLE latest_revocation (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	at INTEGER NOT NULL
) STRICT;
INSERT INTO latest_revocation (id, at) VALUES (1, 0);

-- A link that signs a browser in, under the hash of its code. Columns that begin with as_ say
-- what the new session is made from.
CREATE TABLE sign_in_links (
	hash           BLOB PRIMARY KEY,
	maker          TEXT NOT NULL,
	made_by        TEXT NOT NULL,
	made_by_root   TEXT NOT NULL,
	made_at        INTEGER NOT NULL,
	expires_at     INTEGER NOT NULL,
	as_id          TEXT NOT NULL,
	as_root        TEXT NOT NULL,
	as_issuer      TEXT NOT NULL,
	as_subject     TEXT NOT NULL,
	as_role        TEXT NOT NULL,
	as_departments TEXT NOT NULL,
	as_agent       TEXT NOT NULL,
	as_kind        TEXT NOT NULL,
	as_label       TEXT NOT NULL,
	as_issued_at   INTEGER NOT NULL,
	as_expires_at  INTEGER NOT NULL,
	as_ends_by     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_maker ON sign_in_links (maker, made_at);
CREATE INDEX sign_in_links_expiry ON sign_in_links (expires_at);

-- A document never holds a secret; those are kept beside it and make backups as
-- confidential as the keys that lie in them already.
CREATE TABLE webhooks (
	id         BLOB PRIMARY KEY,
	doc        TEXT NOT NULL,
	secrets    TEXT NOT NULL,
	since      INTEGER NOT NULL,
	revision   INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;

-- Which webhooks there are, and whether they have changed, is asked more than once a
-- second. Beside their documents, of up to 260 KiB, that would read all of these.
CREATE INDEX webhooks_tags ON webhooks (id, revision);

-- The position in the log of events up to which deliveries are recorded.
CREATE TABLE outbox (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	position INTEGER NOT NULL
) STRICT;
INSERT INTO outbox (id, position) VALUES (1, 0);

-- Deliveries outlive their webhook. What has not happened yet is NULL; only
-- what is pending has a time at which it is due. change_at is where in the change log a change
-- is that is delivered.
CREATE TABLE deliveries (
	id         BLOB PRIMARY KEY,
	webhook_id BLOB NOT NULL,
	event_id   BLOB NOT NULL,
	test       INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	status     TEXT NOT NULL,
	attempt    INTEGER NOT NULL,
	code       INTEGER NOT NULL,
	failure    TEXT NOT NULL,
	due        INTEGER,
	begun      INTEGER,
	ended      INTEGER,
	mark       BLOB NOT NULL,
	change_at  INTEGER
) STRICT;
CREATE INDEX deliveries_list ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_due ON deliveries (webhook_id, due) WHERE due IS NOT NULL;
CREATE INDEX deliveries_delivered ON deliveries (webhook_id, ended) WHERE status = 'delivered' AND test = 0;
CREATE INDEX deliveries_age ON deliveries (created_at);
