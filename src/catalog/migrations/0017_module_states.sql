-- kind: expand, floor: 3
-- What pages say of a module's version: what its users are warned with, and how it differs from the
-- version before. Servers that do not know this warn nobody.

ALTER TABLE module_version ADD COLUMN deprecation TEXT;  -- NULL: not deprecated
ALTER TABLE module_version ADD COLUMN step TEXT;         -- domain/version_step.h; NULL: not compared
