-- The identity of an agent is stored here. The number is what its column identity has: the row
-- of a version that was its newest one.
CREATE TABLE current_identities (
	seq      INTEGER PRIMARY KEY,
	identity TEXT NOT NULL
) STRICT;

-- The text of the version before, as what differs from that of this version. Only versions of
-- agents from before this, and of those restored from an archive, have their own text; all
-- others have an empty one.
ALTER TABLE versions ADD COLUMN packed BLOB;
