-- kind: expand, floor: 1
-- Attachments of a release of another registry, as they were first seen. upstream_package.attachments
-- is no longer used.
CREATE TABLE upstream_attachment (
  release_id BIGINT NOT NULL REFERENCES upstream_release (id),
  name {{key}} NOT NULL,
  digest TEXT NOT NULL,
  size BIGINT NOT NULL,
  os TEXT NOT NULL,                      -- the platform whose description named it first
  arch TEXT NOT NULL,
  changed_at BIGINT NOT NULL DEFAULT 0,  -- when its registry was first found to offer other bytes; 0: never
  PRIMARY KEY (release_id, name)
);
CREATE INDEX upstream_attachment_by_digest ON upstream_attachment (digest);
