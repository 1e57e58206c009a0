-- What the cost of a day has beyond what was incurred: what finished tasks say more. The costs of
-- days that are there stay as they are.
ALTER TABLE agent_days ADD COLUMN excess_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_days ADD COLUMN excess_units INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_days ADD COLUMN excess_nanos INTEGER NOT NULL DEFAULT 0;
ALTER TABLE department_days ADD COLUMN excess_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE department_days ADD COLUMN excess_units INTEGER NOT NULL DEFAULT 0;
ALTER TABLE department_days ADD COLUMN excess_nanos INTEGER NOT NULL DEFAULT 0;
