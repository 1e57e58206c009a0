-- A link that signs a browser in, under the hash of its code. Columns that begin with as_ say
-- what the new session is made from.
CREATE TABLE sign_in_links (
	hash           BLOB PRIMARY KEY,
	maker          TEXT NOT NULL,
	made_by        TEXT NOT NULL,
	made_by_root   TEXT NOT NULL,
	made_at        INTEGER NOT NULL,
	expires_at     INTEGER NOT NULL,
	as_id          TEXT NOT NULL,
	as_root        TEXT NOT NULL,
	as_issuer      TEXT NOT NULL,
	as_subject     TEXT NOT NULL,
	as_role        TEXT NOT NULL,
	as_departments TEXT NOT NULL,
	as_agent       TEXT NOT NULL,
	as_kind        TEXT NOT NULL,
	as_label       TEXT NOT NULL,
	as_issued_at   INTEGER NOT NULL,
	as_expires_at  INTEGER NOT NULL,
	as_ends_by     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_maker ON sign_in_links (maker, made_at);
CREATE INDEX sign_in_links_expiry ON sign_in_links (expires_at);
