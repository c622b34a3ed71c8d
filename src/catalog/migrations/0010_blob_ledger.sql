-- kind: expand, floor: 3

-- What a remote store's objects hold. Rows of those alone whose names were given out here: what
-- else lies in the store is nobody's to remove.
CREATE TABLE blob_object (
  name {{key}} NOT NULL PRIMARY KEY,    -- below the store's prefix; never given twice
  digest {{key}} NOT NULL,
  size BIGINT NOT NULL,
  state TEXT NOT NULL,                  -- "arriving", "stored", "lost" or "leaving"
  at BIGINT NOT NULL                    -- since when; of a stored one: when it was last needed
);
-- One object holds a digest; whoever comes second finds out here.
CREATE UNIQUE INDEX blob_object_stored ON blob_object (digest) WHERE state = 'stored';
CREATE INDEX blob_object_lost ON blob_object (digest) WHERE state = 'lost';
CREATE INDEX blob_object_arriving ON blob_object (at) WHERE state = 'arriving';
CREATE INDEX blob_object_leaving ON blob_object (at) WHERE state = 'leaving';
