-- The labels of an agent are in its row, so that whoever reads the agent has them.
ALTER TABLE agents ADD COLUMN labels TEXT NOT NULL DEFAULT '';

-- Which agents have a label, in the order of the organization, with what lists filter by.
CREATE TABLE labels (
	label          TEXT NOT NULL,
	place          BLOB NOT NULL,
	agent_id       BLOB NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
	department_key TEXT NOT NULL,
	status         TEXT NOT NULL,
	version        INTEGER NOT NULL,
	PRIMARY KEY (label, place, agent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_agent ON labels (agent_id, label);
CREATE TRIGGER labels_follow AFTER UPDATE OF place, department_key, status ON agents WHEN new.labels <> '' BEGIN
	UPDATE labels SET place = new.place, department_key = new.department_key, status = new.status WHERE agent_id = new.id;
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
