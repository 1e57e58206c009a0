-- An agent that was deleted, as it was last: it can be restored. Of those that were deleted
-- before this, the events and the versions say what is known. A place is never given twice.
CREATE TABLE former (
	id         BLOB PRIMARY KEY,
	name_key   TEXT NOT NULL,
	name       TEXT NOT NULL,
	department TEXT NOT NULL,
	place      BLOB NOT NULL,
	identity   INTEGER NOT NULL,
	outside    TEXT NOT NULL,
	version    INTEGER NOT NULL,
	revision   INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	deleted_at INTEGER NOT NULL,
	deleted_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO former
SELECT f.id, f.name_key, f.name, json_extract(last.identity, '$.department'),
	CASE WHEN EXISTS (SELECT 1 FROM agents WHERE place = f.id) THEN fired.id ELSE f.id END,
	last.seq, '{"model_requirement":null,"personality_preset":null,"tier":null}', last.number,
	max(last.number, coalesce((SELECT max(from_revision) FROM changes WHERE resource = 'agents/' || lower(
		substr(hex(f.id), 1, 8) || '-' || substr(hex(f.id), 9, 4) || '-' || substr(hex(f.id), 13, 4) || '-' ||
		substr(hex(f.id), 17, 4) || '-' || substr(hex(f.id), 21))), 0)),
	hired.saved_at, last.saved_at, coalesce(fired.at, last.saved_at), coalesce(fired.initiated_by, '')
FROM former_agents AS f
JOIN versions AS last ON last.agent_id = f.id AND last.number = (SELECT max(number) FROM versions WHERE agent_id = f.id)
JOIN versions AS hired ON hired.agent_id = f.id AND hired.number = 1
LEFT JOIN events AS fired ON fired.seq = (SELECT max(seq) FROM events WHERE agent_id = f.id AND type = 'fired');
DROP TABLE former_agents;
ALTER TABLE former RENAME TO former_agents;
CREATE INDEX former_agents_deletion ON former_agents (deleted_at, id);

-- Agents that were purged, of which rows may be left.
CREATE TABLE purged_agents (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
