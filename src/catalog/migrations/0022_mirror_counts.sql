-- kind: expand, floor: 3
-- What the mirror did on a day, in sums of all servers. Servers that do not know this count nothing;
-- nothing else is missing. Batches that were taken stand in usage_batch.

CREATE TABLE mirror_count (
  day BIGINT NOT NULL,                  -- since 1970-01-01, in UTC
  kind BIGINT NOT NULL,                 -- MirrorCountKind
  rule {{key}} NOT NULL,                -- that decided; "" of what no rule did
  count BIGINT NOT NULL,                -- archives, or requests
  bytes BIGINT NOT NULL,                -- of archives
  PRIMARY KEY (day, kind, rule)
);
