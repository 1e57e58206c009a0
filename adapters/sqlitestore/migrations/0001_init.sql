-- Marks the file as a database of this project: "orgd" in ASCII.
PRAGMA application_id = 0x6f726764;
