-- Whether saved_by and saved_at of a version are from where it was imported from.
ALTER TABLE versions ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
