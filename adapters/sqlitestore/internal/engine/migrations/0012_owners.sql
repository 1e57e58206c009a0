-- The owner and the tags of an agent, which lists filter by. Each tag has a comma on both
-- sides. An agent that was stored before has none.
ALTER TABLE agents ADD COLUMN owner TEXT;
ALTER TABLE agents ADD COLUMN tags TEXT NOT NULL DEFAULT '';
CREATE INDEX agents_owner ON agents (owner, place, id) WHERE owner IS NOT NULL;

ALTER TABLE former_agents ADD COLUMN owner TEXT;
ALTER TABLE former_agents ADD COLUMN tags TEXT NOT NULL DEFAULT '';
