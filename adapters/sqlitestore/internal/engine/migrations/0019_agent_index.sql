-- Lists, counts and the order of agents come from an index in memory. The name stays unique and
-- the department has to exist.
DROP INDEX agents_order;
DROP INDEX agents_department;
DROP INDEX agents_level;
DROP INDEX agents_status;
DROP INDEX agents_owner;
DROP TABLE headcounts;

-- An update names the status of an agent also if it stays.
DROP TRIGGER labels_follow;
CREATE TRIGGER labels_follow AFTER UPDATE OF order_key, department_key, status ON agents
WHEN new.labels <> '' AND (new.order_key <> old.order_key OR new.department_key <> old.department_key OR new.status <> old.status) BEGIN
	UPDATE labels SET order_key = new.order_key, department_key = new.department_key, status = new.status WHERE agent_id = new.id;
END;

-- Whoever follows the audit trail keeps how far.
DROP TABLE written;
