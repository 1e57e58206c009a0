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

-- The place in the log of events up to which deliveries are recorded.
CREATE TABLE outbox (
	id    INTEGER PRIMARY KEY CHECK (id = 1),
	place INTEGER NOT NULL
) STRICT;
INSERT INTO outbox (id, place) VALUES (1, 0);

-- Deliveries outlive their webhook. What has not happened yet is NULL; only
-- what is pending has a time at which it is due.
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
	mark       BLOB NOT NULL
) STRICT;
CREATE INDEX deliveries_list ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_due ON deliveries (webhook_id, due) WHERE due IS NOT NULL;
CREATE INDEX deliveries_delivered ON deliveries (webhook_id, ended) WHERE status = 'delivered' AND test = 0;
CREATE INDEX deliveries_age ON deliveries (created_at);
