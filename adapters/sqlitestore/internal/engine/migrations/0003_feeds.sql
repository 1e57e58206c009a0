-- Feeds of all types merge those of each type, so these are needed no more. An
-- entry in each was a good part of the work on an event.
DROP INDEX events_feed;
DROP INDEX events_agent;
