-- What lists are ordered by is an order key, and where a reader of the log is, a position.
ALTER TABLE departments RENAME COLUMN place TO order_key;
ALTER TABLE agents RENAME COLUMN place TO order_key;
ALTER TABLE former_agents RENAME COLUMN place TO order_key;
ALTER TABLE labels RENAME COLUMN place TO order_key;
ALTER TABLE outbox RENAME COLUMN place TO position;
-- What is no part of the identity.
ALTER TABLE agents RENAME COLUMN outside TO unversioned;
ALTER TABLE former_agents RENAME COLUMN outside TO unversioned;
ALTER TABLE receipts RENAME TO idempotency_records;
DROP INDEX receipts_at;
CREATE INDEX idempotency_records_at ON idempotency_records (at);
