-- What was done by an entry of the audit trail. Those of the change log have a number in
-- the log of events, and what is shown of them as JSON.
ALTER TABLE audit ADD COLUMN action TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN seq INTEGER;
ALTER TABLE audit ADD COLUMN department_key TEXT;
ALTER TABLE audit ADD COLUMN change TEXT;
UPDATE audit SET action = 'activities.reported' WHERE resource = 'activities';

DROP INDEX audit_actor;
CREATE INDEX audit_actor ON audit (actor, action, at, id);
CREATE INDEX audit_action ON audit (action, at, id);
CREATE INDEX audit_department ON audit (department_key, at, id) WHERE department_key NOT NULL;
CREATE UNIQUE INDEX audit_seq ON audit (seq) WHERE seq NOT NULL;
CREATE INDEX audit_change ON audit (id) WHERE seq NOT NULL;

INSERT INTO sqlite_sequence (name, seq)
SELECT 'events', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events');
