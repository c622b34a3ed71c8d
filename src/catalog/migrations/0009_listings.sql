-- kind: expand, floor: 3
-- Listings find what somebody may read by its namespaces.

-- In the order of addresses, since "/" ends a namespace in them.
CREATE INDEX module_by_namespace ON module (({{place of module}}), address_key);
CREATE INDEX provider_by_namespace ON provider ((namespace || '/'), address);
CREATE INDEX namespace_by_place ON namespace (visibility, (name_key || '/'));
CREATE INDEX namespace_by_visibility ON namespace (visibility, name_key);

-- 1: its namespace has a record, which never goes. NULL: not known; programs that know no
-- namespaces leave it so.
ALTER TABLE module ADD COLUMN recorded BIGINT;
ALTER TABLE provider ADD COLUMN recorded BIGINT;
CREATE INDEX module_unrecorded ON module (address_key) WHERE recorded IS NULL;
CREATE INDEX provider_unrecorded ON provider (address) WHERE recorded IS NULL;
