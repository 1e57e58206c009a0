-- What was done by an entry of the audit trail. Those of the change log are apart: they
-- have a number in the log of events, and reports do not lie between them. What is shown
-- of them is JSON. Whatever a list of changes is filtered by is in the index that it
-- follows: each index costs every change a tenth of its time.
ALTER TABLE audit ADD COLUMN action TEXT NOT NULL DEFAULT '';
CREATE INDEX audit_others ON audit (at, id) WHERE resource > 'activities';

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
CREATE INDEX changes_resource ON changes (resource, at, id);

-- Where in the change log a change is that is delivered.
ALTER TABLE deliveries ADD COLUMN change_at INTEGER;
