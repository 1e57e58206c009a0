-- The owner of a day is the id of a department and not its name, which another
-- department may get later. Nobody can ask for those of departments that are
-- gone.
DELETE FROM department_days WHERE owner NOT IN (SELECT name_key FROM departments);
UPDATE department_days SET owner = (SELECT id FROM departments WHERE name_key = owner);
