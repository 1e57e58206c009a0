-- Each entry of the audit trail has a number in the log of events, and those that are older
-- than this have negative ones. Reports write as many indexes as before: the list of all
-- entries by time is merged of two.
CREATE TABLE trail (
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
INSERT INTO trail
SELECT row_number() OVER (ORDER BY at, id) - 1 - (SELECT count(*) FROM audit),
	at, id, actor, action, route, resource, from_revision, to_revision, request_id
FROM audit ORDER BY at, id;
DROP TABLE audit;
ALTER TABLE trail RENAME TO audit;
CREATE INDEX audit_actor ON audit (actor, at, id);
CREATE INDEX audit_resource ON audit (resource, at, id, actor);
CREATE INDEX audit_others ON audit (at, id) WHERE resource <> 'activities';

-- How far the audit trail was written to standard output.
CREATE TABLE written (
	id  INTEGER PRIMARY KEY CHECK (id = 1),
	seq INTEGER NOT NULL,
	at  INTEGER NOT NULL
) STRICT;
