-- The time of the latest revocation, which has its meaning also when that one has
-- expired: who has read up to it finds those that are stored later behind it.
CREATE TABLE latest_revocation (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	at INTEGER NOT NULL
) STRICT;
INSERT INTO latest_revocation (id, at) SELECT 1, ifnull(max(at), 0) FROM revocations;
