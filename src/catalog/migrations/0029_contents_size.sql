-- kind: expand, floor: 3
-- How long the body is, so that room for it can be made before it is read. 0: written by a server
-- that does not know this.

ALTER TABLE module_contents ADD COLUMN size BIGINT NOT NULL DEFAULT 0;
