-- When an agent was purged: what others report of it is refused for a while from then on.
ALTER TABLE purged_agents ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
