-- kind: expand, floor: 1
-- Attachments of a version: attestations and bills of materials. A row belongs to a version of a
-- module or to a release of a provider, and never changes.
CREATE TABLE attachment (
  id {{identity}},
  module_version_id BIGINT REFERENCES module_version (id),
  release_id BIGINT REFERENCES provider_release (id),
  name {{key}} NOT NULL,
  digest TEXT NOT NULL,
  size BIGINT NOT NULL,
  UNIQUE (module_version_id, name),
  UNIQUE (release_id, name)
);
CREATE INDEX attachment_by_digest ON attachment (digest);
