-- Words in double braces differ between engines (catalog/sql/dialect.cc).
-- What is kept of other registries. Times are seconds since 1970; digests are 64 hex digits; hosts
-- stand in their ASCII form. Lists hold one element a line, each line ended, with %XX for what a
-- line cannot hold.

CREATE TABLE upstream_document (
  id {{identity}},
  document_key {{key}} NOT NULL UNIQUE,  -- "provider-versions:registry.example.com/acme/demo"
  body_digest TEXT NOT NULL,
  etag TEXT NOT NULL,                    -- upstream's validators; "" when there are none
  last_modified TEXT NOT NULL,
  checked_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL
);

-- Apart: a document that is confirmed every few minutes must not be written as often.
CREATE TABLE upstream_document_body (
  document_id BIGINT NOT NULL PRIMARY KEY REFERENCES upstream_document (id),
  body TEXT NOT NULL
);

CREATE TABLE upstream_provider (
  id {{identity}},
  provider_key {{key}} NOT NULL UNIQUE,  -- "registry.example.com/acme/demo"
  host {{key}} NOT NULL,
  namespace {{key}} NOT NULL,
  type {{key}} NOT NULL
);

-- Pinned: no column ever changes, and no row goes.
CREATE TABLE upstream_release (
  id {{identity}},
  provider_id BIGINT NOT NULL REFERENCES upstream_provider (id),
  version {{key}} NOT NULL,              -- build metadata included
  protocols TEXT NOT NULL,               -- a list
  sums_digest TEXT,                      -- of the author's SHA256SUMS; NULL when there is none
  sums_size BIGINT,
  signature_digest TEXT,
  signature_size BIGINT,
  keys TEXT NOT NULL,                    -- JSON, as upstream gave it; "" without a signature
  fit_for_origin BIGINT NOT NULL,        -- 0 or 1
  seen_at BIGINT NOT NULL,
  UNIQUE (provider_id, version)
);
CREATE INDEX upstream_release_by_sums ON upstream_release (sums_digest)
  WHERE sums_digest IS NOT NULL;
CREATE INDEX upstream_release_by_signature ON upstream_release (signature_digest)
  WHERE signature_digest IS NOT NULL;

CREATE TABLE upstream_package (
  id {{identity}},
  release_id BIGINT NOT NULL REFERENCES upstream_release (id),
  os {{key}} NOT NULL,
  arch {{key}} NOT NULL,
  filename TEXT NOT NULL,
  digest TEXT NOT NULL,                  -- of the zip: pinned
  size BIGINT NOT NULL,                  -- 0 while not known
  hashes TEXT NOT NULL,                  -- a list
  held BIGINT NOT NULL,                  -- 0 or 1: the zip is in the blob store
  UNIQUE (release_id, os, arch)
);
CREATE INDEX upstream_package_by_digest ON upstream_package (digest) WHERE held = 1;

CREATE TABLE upstream_module (
  id {{identity}},
  module_key {{key}} NOT NULL UNIQUE,    -- "registry.example.com/acme/vpc/aws", in lower case
  host {{key}} NOT NULL,
  namespace TEXT NOT NULL,               -- in the letter case that was seen first
  name TEXT NOT NULL,
  system TEXT NOT NULL
);

CREATE TABLE upstream_module_version (
  id {{identity}},
  module_id BIGINT NOT NULL REFERENCES upstream_module (id),
  version {{key}} NOT NULL,              -- build metadata included
  archive_kind TEXT NOT NULL,            -- "tar.gz" or "zip"
  digest TEXT NOT NULL,                  -- of the archive that is served: pinned
  size BIGINT NOT NULL,
  source TEXT NOT NULL,                  -- where it came from, for people
  held BIGINT NOT NULL,                  -- 0 or 1: the archive is in the blob store
  seen_at BIGINT NOT NULL,
  UNIQUE (module_id, version)
);
CREATE INDEX upstream_module_version_by_digest ON upstream_module_version (digest) WHERE held = 1;

-- The blobs that packages and modules of other registries hold, each once, whoever names it: what
-- the bound on their bytes counts, and in which order they go.
CREATE TABLE held_blob (
  digest {{key}} NOT NULL PRIMARY KEY,
  size BIGINT NOT NULL,
  used_at BIGINT NOT NULL
);
CREATE INDEX held_blob_by_use ON held_blob (used_at, digest);
CREATE INDEX held_blob_by_size ON held_blob (size);
