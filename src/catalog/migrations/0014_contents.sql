-- kind: expand, floor: 3
-- What was read inside modules. Servers that do not know this read nothing; what they publish is
-- read later by one that does.

CREATE TABLE module_contents (
  module_key {{key}} NOT NULL,          -- module.address_key, or upstream_module.module_key
  version {{key}} NOT NULL,
  reader BIGINT NOT NULL,               -- which read it: those with a lower number read worse
  body TEXT NOT NULL,                   -- JSON
  PRIMARY KEY (module_key, version)
);
