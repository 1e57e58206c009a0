-- Which webhooks there are, and whether they have changed, is asked more than once a
-- second. Beside their documents, of up to 260 KiB, that would read all of these.
CREATE INDEX webhooks_tags ON webhooks (id, revision);
