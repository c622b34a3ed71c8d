-- Words in double braces differ between engines (catalog/sql/dialect.cc).
-- Times are seconds since 1970; digests are 64 hex digits; keys are folded to lower case.

CREATE TABLE module (
  id {{identity}},
  address_key {{key}} NOT NULL UNIQUE,  -- "acme/vpc/aws"
  name_key {{key}} NOT NULL,
  namespace TEXT NOT NULL,              -- in the letter case of the first publish
  name TEXT NOT NULL,
  system TEXT NOT NULL,
  -- What listings show, kept in step with module_version by every transaction that changes it:
  -- a listing must not cost more when modules have many versions.
  version_count BIGINT NOT NULL,        -- not withdrawn
  latest_version TEXT,                  -- newest release, else newest prerelease; NULL when none
  latest_published_at BIGINT,
  latest_description TEXT,
  search_text TEXT NOT NULL             -- folded: namespace, name, system, description by line
);
CREATE INDEX module_by_name ON module (name_key, address_key);

CREATE TABLE module_version (
  id {{identity}},
  module_id BIGINT NOT NULL REFERENCES module (id),
  version TEXT NOT NULL,                -- as published, build metadata included
  precedence_key {{key}} NOT NULL,      -- without build metadata: what must be unique
  archive_kind TEXT NOT NULL,           -- "tar.gz" or "zip"
  digest TEXT NOT NULL,                 -- of the archive that is served
  size BIGINT NOT NULL,
  upload_digest TEXT NOT NULL,          -- of the bytes that were uploaded
  description TEXT NOT NULL,
  published_at BIGINT NOT NULL,
  published_by TEXT NOT NULL,
  withdrawn_at BIGINT,                  -- NULL while the version is there
  withdrawn_by TEXT,
  withdrawn_reason TEXT,
  UNIQUE (module_id, precedence_key)
);
CREATE INDEX module_version_by_digest ON module_version (digest) WHERE withdrawn_at IS NULL;

CREATE TABLE token (
  name {{key}} NOT NULL PRIMARY KEY,
  secret TEXT NOT NULL UNIQUE,          -- SHA-256 of the token's text
  scope TEXT NOT NULL,                  -- "read", "publish" or "admin"
  namespaces TEXT NOT NULL,             -- patterns, one a line; "" = all
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT
);

CREATE TABLE change (
  sequence {{sequence}},
  topic TEXT NOT NULL                   -- "module:<address key>" or "token:<name>"
);
