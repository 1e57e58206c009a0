-- The department that the agent of an event was in. Whoever follows the log
-- selects by it.
ALTER TABLE events ADD COLUMN department_key TEXT NOT NULL DEFAULT '';

-- How far the log had come at a time, for finding out where it begins. The mark
-- of time 0 is its beginning.
CREATE TABLE log_marks (
	at  INTEGER PRIMARY KEY,
	seq INTEGER NOT NULL
) STRICT;
