-- Words in double braces differ between engines (catalog/sql/dialect.cc).
-- Times are seconds since 1970; digests are 64 hex digits; addresses are normalised. Lists hold one
-- element a line, each line ended, with %XX for what a line cannot hold.

CREATE TABLE provider (
  id {{identity}},
  address {{key}} NOT NULL UNIQUE,      -- "acme/demo"
  namespace {{key}} NOT NULL,
  type {{key}} NOT NULL,
  -- What listings show, kept in step with provider_release by every transaction that changes it:
  -- a listing must not cost more when providers have many versions.
  version_count BIGINT NOT NULL,        -- not withdrawn
  latest_version TEXT,                  -- newest release, else newest prerelease; NULL when none
  latest_published_at BIGINT
);

CREATE TABLE provider_release (
  id {{identity}},
  provider_id BIGINT NOT NULL REFERENCES provider (id),
  version TEXT NOT NULL,                -- as published, build metadata included
  precedence_key {{key}} NOT NULL,      -- without build metadata: what must be unique
  protocols TEXT NOT NULL,              -- a list
  -- A list of what provider_package holds: a version list reads one row a version, not one a zip.
  platforms TEXT NOT NULL,
  sums_digest TEXT NOT NULL,            -- of SHA256SUMS: what makes two releases the same
  sums_size BIGINT NOT NULL,
  signature_digest TEXT NOT NULL,
  signature_size BIGINT NOT NULL,
  key_fingerprint TEXT NOT NULL,        -- of a signing_key of the provider's namespace
  published_at BIGINT NOT NULL,
  published_by TEXT NOT NULL,
  deprecation TEXT NOT NULL,            -- "" when not deprecated
  withdrawn_at BIGINT,                  -- NULL while the version is there
  withdrawn_by TEXT,
  withdrawn_reason TEXT,
  UNIQUE (provider_id, precedence_key)
);
CREATE INDEX provider_release_by_sums ON provider_release (sums_digest)
  WHERE withdrawn_at IS NULL;
CREATE INDEX provider_release_by_signature ON provider_release (signature_digest)
  WHERE withdrawn_at IS NULL;

CREATE TABLE provider_package (
  release_id BIGINT NOT NULL REFERENCES provider_release (id),
  os {{key}} NOT NULL,
  arch {{key}} NOT NULL,
  filename TEXT NOT NULL,
  digest TEXT NOT NULL,                 -- of the zip
  size BIGINT NOT NULL,
  h1 TEXT NOT NULL,                     -- a list
  PRIMARY KEY (release_id, os, arch)
);
CREATE INDEX provider_package_by_digest ON provider_package (digest);

CREATE TABLE signing_key (
  namespace {{key}} NOT NULL,
  fingerprint {{key}} NOT NULL,         -- of the primary key, upper-case hex
  key_id TEXT NOT NULL,
  armor TEXT NOT NULL,                  -- the public key, as it is served
  user_ids TEXT NOT NULL,               -- a list
  algorithm TEXT NOT NULL,
  created_at BIGINT NOT NULL,           -- of the key itself
  expires_at BIGINT,                    -- of the key itself
  added_at BIGINT NOT NULL,
  added_by TEXT NOT NULL,
  removed_at BIGINT,                    -- NULL while it may sign new releases
  sealed_secret TEXT NOT NULL,          -- "" unless this server made it and signs with it
  server_made BIGINT NOT NULL,          -- 0 or 1
  PRIMARY KEY (namespace, fingerprint)
);

CREATE TABLE draft (
  id {{key}} NOT NULL PRIMARY KEY,
  namespace {{key}} NOT NULL,
  type {{key}} NOT NULL,
  version TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX draft_by_namespace ON draft (namespace, type, version);
CREATE INDEX draft_by_expiry ON draft (expires_at);

CREATE TABLE draft_file (
  draft_id {{key}} NOT NULL REFERENCES draft (id) ON DELETE CASCADE,
  name {{key}} NOT NULL,
  digest TEXT NOT NULL,
  size BIGINT NOT NULL,
  h1 TEXT NOT NULL,                     -- a list
  problems TEXT NOT NULL,               -- a list
  PRIMARY KEY (draft_id, name)
);
CREATE INDEX draft_file_by_digest ON draft_file (digest);
