-- kind: expand, floor: 3

-- Every change, and every attempt that was denied. Rows are added, linked, and removed at their old
-- end. Who adds one only inserts: it never waits for who links them.
CREATE TABLE audit (
  id {{sequence}},                      -- the order of writing; may become visible out of order
  kind TEXT NOT NULL,                   -- "change" or "denied"
  at BIGINT NOT NULL,
  actor {{key}} NOT NULL,               -- of an account or token; "koya" the server, "" a stranger
  token TEXT NOT NULL,                  -- its name
  address {{key}} NOT NULL,
  user_agent TEXT NOT NULL,
  request_id TEXT NOT NULL,
  action {{key}} NOT NULL,
  target {{key}} NOT NULL,
  namespace {{key}} NOT NULL,           -- its key, or ""
  before_change TEXT NOT NULL,          -- a JSON object, or ""
  after_change TEXT NOT NULL,
  count BIGINT NOT NULL,                -- of denials: how many
  sequence BIGINT UNIQUE,               -- its place in the chain; NULL: none yet
  hash TEXT                             -- of this entry and of everything before it in the chain
);
CREATE INDEX audit_unlinked ON audit (id) WHERE sequence IS NULL;
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX audit_by_actor ON audit (lower(actor), id);
CREATE INDEX audit_by_namespace ON audit (namespace, id);
CREATE INDEX audit_by_target ON audit (target);

-- One row: up to where the chain was removed, and where it ends. Its lock makes those who link and
-- those who remove take turns.
CREATE TABLE audit_chain (
  id BIGINT NOT NULL PRIMARY KEY,       -- 1
  anchor_sequence BIGINT NOT NULL,
  anchor_hash TEXT NOT NULL,
  head_sequence BIGINT NOT NULL,
  head_hash TEXT NOT NULL
);
INSERT INTO audit_chain (id, anchor_sequence, anchor_hash, head_sequence, head_hash) VALUES
  (1, 0, '0000000000000000000000000000000000000000000000000000000000000000',
   0, '0000000000000000000000000000000000000000000000000000000000000000');
