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
DROP INDEX changes_resource;
DROP INDEX audit_actor;
