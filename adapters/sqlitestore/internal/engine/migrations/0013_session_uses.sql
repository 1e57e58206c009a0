-- How a session began, what it is for, and when it was used last.
ALTER TABLE sessions ADD COLUMN kind TEXT NOT NULL DEFAULT 'external';
ALTER TABLE sessions ADD COLUMN label TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN last_used_at INTEGER;
UPDATE sessions SET kind = 'token' WHERE own;
ALTER TABLE sessions DROP COLUMN own;
