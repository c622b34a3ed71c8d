-- kind: expand, floor: 3
-- What runs of koya verify told of themselves, the last ten. Servers that do not know this show none.

CREATE TABLE verify_run (
  id {{key}} NOT NULL PRIMARY KEY,      -- random
  begun_by TEXT NOT NULL,               -- "user:ada"
  began_at BIGINT NOT NULL,             -- as told_at, by the database's clock
  told_at BIGINT NOT NULL,              -- when it was last heard of
  quick BIGINT NOT NULL,                -- as all flags: 0 or 1
  mirrored_only BIGINT NOT NULL,
  partial BIGINT NOT NULL,
  checked BIGINT NOT NULL,
  wrong BIGINT NOT NULL,
  repaired BIGINT NOT NULL,
  found TEXT NOT NULL,                  -- the first of the wrong: a list of name, state, "repaired" or ""
  ended BIGINT NOT NULL,
  failure TEXT NOT NULL                 -- why it broke off; "": it did not
);
