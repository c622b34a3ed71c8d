-- kind: expand, floor: 3
-- Which installation the catalog is of, in one row: servers with another server.secret are refused.
CREATE TABLE installation (
  one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,                     -- random, made once
  secret_mark TEXT NOT NULL,            -- of the id, with a key that follows from server.secret
  storage TEXT                          -- where its blobs are: "s3://BUCKET/PREFIX"; NULL: a folder
);

-- The processes that serve from this catalog. A row that is not renewed counts for nothing.
CREATE TABLE replica (
  id {{key}} NOT NULL PRIMARY KEY,      -- random; what its leases call their holder
  address TEXT NOT NULL,
  version TEXT NOT NULL,                -- of the program
  schema_step BIGINT NOT NULL,          -- the last that the program knows
  started_at BIGINT NOT NULL,           -- as seen_at, by the database's clock
  seen_at BIGINT NOT NULL,
  feed_age_ms BIGINT NOT NULL,          -- how old its last answer from the change log was
  clock_ahead_ms BIGINT NOT NULL        -- of its machine, before the database's
);
