-- kind: expand, floor: 1
-- The policy on releases of other registries, as it was set each time: the newest is in force.
CREATE TABLE policy_revision (
  revision BIGINT NOT NULL PRIMARY KEY,  -- from 1, without gaps
  content TEXT NOT NULL,                 -- TOML, byte for byte
  set_by TEXT NOT NULL,
  set_at BIGINT NOT NULL,
  reason TEXT NOT NULL
);
-- Versions of other registries that the policy let through once.
CREATE TABLE admission (
  subject {{key}} NOT NULL,              -- "HOST/NS/TYPE", "HOST/NS/NAME/SYSTEM"
  version {{key}} NOT NULL,
  admitted_at BIGINT NOT NULL,
  PRIMARY KEY (subject, version)
);
-- When the versions of a list were first seen here: lines of seconds since 1970 and versions,
-- separated by spaces.
ALTER TABLE upstream_document_body ADD COLUMN first_seen TEXT NOT NULL DEFAULT '';
-- The fingerprint of the key that signed SHA256SUMS; "": not signed, or pinned before this column.
ALTER TABLE upstream_release ADD COLUMN signer TEXT NOT NULL DEFAULT '';
-- When its registry was first found to offer other bytes while the policy held the release; 0: never.
ALTER TABLE upstream_release ADD COLUMN changed_at BIGINT NOT NULL DEFAULT 0;
