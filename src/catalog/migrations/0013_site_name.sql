-- kind: expand, floor: 1
-- At most one row: the name that the first administrator gave the registry.
CREATE TABLE site_name (
  only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
  name TEXT NOT NULL
);
-- For lists, which say whether the latest version is deprecated.
CREATE INDEX module_version_deprecated ON module_version (module_id, version)
  WHERE deprecation IS NOT NULL;
CREATE INDEX provider_release_deprecated ON provider_release (provider_id, version)
  WHERE deprecation <> '';
