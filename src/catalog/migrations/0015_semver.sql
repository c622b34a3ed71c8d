-- kind: expand, floor: 3
-- Whether numbers of versions must say what changed. Servers that do not know this compare nothing.

ALTER TABLE namespace ADD COLUMN semver TEXT;  -- "off", "warn", "refuse"; NULL: as settings say
