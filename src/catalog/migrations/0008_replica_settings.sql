-- kind: expand, floor: 1
-- Settings of a process that must be the same on all servers: a list of "NAME=DIGEST" (SHA-256 in
-- hex). "": its program reports none.
ALTER TABLE replica ADD COLUMN settings TEXT NOT NULL DEFAULT '';
