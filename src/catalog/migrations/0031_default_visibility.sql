-- kind: expand, floor: 3
-- What the first administrator said that new namespaces are. Servers that do not know this go by
-- their settings alone.

CREATE TABLE default_visibility (
  only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
  visibility TEXT NOT NULL              -- "public", "internal" or "private"
);
