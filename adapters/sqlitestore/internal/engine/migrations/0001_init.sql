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
	place          TEXT NOT NULL,
	budget_percent INTEGER NOT NULL,
	doc            TEXT NOT NULL,
	revision       INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX departments_order ON departments (place, name_key, budget_percent);

-- How many agents a department has. There is one row for each department.
CREATE TABLE headcounts (
	department_key TEXT PRIMARY KEY REFERENCES departments (name_key) ON DELETE CASCADE,
	total          INTEGER NOT NULL CHECK (total >= 0),
	active         INTEGER NOT NULL CHECK (active BETWEEN 0 AND total)
) STRICT, WITHOUT ROWID;

-- Versions are only ever appended, and never change or go.
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
	UNIQUE (agent_id, number)
) STRICT;

-- An agent's identity is that of its newest version, so it is stored once and
-- the rows of this table stay small. What lists filter by stands beside it.
CREATE TABLE agents (
	id             BLOB PRIMARY KEY,
	name_key       TEXT NOT NULL,
	name           TEXT NOT NULL,
	department_key TEXT NOT NULL REFERENCES departments (name_key),
	place          BLOB NOT NULL,
	status         TEXT NOT NULL,
	level          TEXT NOT NULL,
	identity       INTEGER NOT NULL REFERENCES versions (seq),
	outside        TEXT NOT NULL,
	version        INTEGER NOT NULL,
	revision       INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX agents_name ON agents (name_key);
CREATE INDEX agents_order ON agents (place, id);
CREATE INDEX agents_department ON agents (department_key, place, id, status, level);
CREATE INDEX agents_level ON agents (level, place, id, status);
CREATE INDEX agents_status ON agents (status, place, id);

-- Who was deleted, under the last name.
CREATE TABLE former_agents (
	id       BLOB PRIMARY KEY,
	name_key TEXT NOT NULL,
	name     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The number of an event is its place in the log: it never comes again.
CREATE TABLE events (
	seq          INTEGER PRIMARY KEY AUTOINCREMENT,
	id           BLOB NOT NULL UNIQUE,
	type         TEXT NOT NULL,
	at           INTEGER NOT NULL,
	agent_id     BLOB NOT NULL,
	agent_name   TEXT NOT NULL,
	description  TEXT NOT NULL,
	related      TEXT NOT NULL,
	data         TEXT,
	initiated_by TEXT NOT NULL,
	metadata     TEXT NOT NULL
) STRICT;
CREATE INDEX events_feed ON events (at, id);
CREATE INDEX events_type ON events (type, at, id);
CREATE INDEX events_agent ON events (agent_id, at, id);
CREATE INDEX events_agent_type ON events (agent_id, type, at, id);

-- Daily figures. A sum is units + nanos × 10⁻⁹; nanos may exceed a unit.
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
	PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE audit (
	at            INTEGER NOT NULL,
	id            BLOB NOT NULL,
	actor         TEXT NOT NULL,
	route         TEXT NOT NULL,
	resource      TEXT NOT NULL,
	from_revision INTEGER NOT NULL,
	to_revision   INTEGER NOT NULL,
	request_id    TEXT NOT NULL,
	PRIMARY KEY (at, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_actor ON audit (actor, at, id);
CREATE INDEX audit_resource ON audit (resource, at, id, actor);

-- A receipt without status has no reply: it held a secret. Its departments are
-- keys, one a line.
CREATE TABLE receipts (
	key         TEXT PRIMARY KEY,
	fingerprint TEXT NOT NULL,
	at          INTEGER NOT NULL,
	departments TEXT NOT NULL,
	status      INTEGER,
	body        BLOB,
	etag        TEXT,
	location    TEXT
) STRICT;
CREATE INDEX receipts_at ON receipts (at);

CREATE TABLE sessions (
	id          TEXT PRIMARY KEY,
	issuer      TEXT NOT NULL,
	subject     TEXT NOT NULL,
	role        TEXT NOT NULL,
	departments TEXT NOT NULL,
	agent       TEXT NOT NULL,
	issued_at   INTEGER NOT NULL,
	expires_at  INTEGER NOT NULL,
	own         INTEGER NOT NULL
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
