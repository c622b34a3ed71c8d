-- kind: expand, floor: 3
-- Who fetches what, in sums. Servers that do not know this count nothing; nothing else is missing.

-- A version of something that was fetched, with its whole count.
CREATE TABLE usage_item (
  id {{identity}},
  kind BIGINT NOT NULL,                 -- UsageKind
  address {{key}} NOT NULL,             -- "acme/vpc/aws", "HOST/acme/demo"
  version {{key}} NOT NULL,
  namespace {{key}} NOT NULL,           -- its key; "": of another registry
  fetches BIGINT NOT NULL,
  archives BIGINT NOT NULL,
  last_day BIGINT NOT NULL,
  UNIQUE (kind, address, version)
);
CREATE INDEX usage_item_by_namespace ON usage_item (namespace);

-- What numbers in rows stand for. 0 stands for nothing.
CREATE TABLE usage_name (
  id {{sequence}},
  kind BIGINT NOT NULL,                 -- 1: a principal, 2: a label
  name {{key}} NOT NULL,
  last_day BIGINT NOT NULL,             -- of a row that has it
  UNIQUE (kind, name)
);

CREATE TABLE usage_day (
  item BIGINT NOT NULL,
  day BIGINT NOT NULL,                  -- since 1970-01-01, in UTC
  principal BIGINT NOT NULL,
  label BIGINT NOT NULL,
  client BIGINT NOT NULL,               -- UsageClient::number()
  fetches BIGINT NOT NULL,
  archives BIGINT NOT NULL,
  PRIMARY KEY (item, day, principal, label, client)
);
CREATE INDEX usage_day_by_day ON usage_day (day);
CREATE INDEX usage_day_by_principal ON usage_day (principal);

-- What became of days that were old.
CREATE TABLE usage_month (
  item BIGINT NOT NULL,
  month BIGINT NOT NULL,                -- its first day
  client BIGINT NOT NULL,
  fetches BIGINT NOT NULL,
  archives BIGINT NOT NULL,
  PRIMARY KEY (item, month, client)
);
CREATE INDEX usage_month_by_month ON usage_month (month);

-- Batches that were taken, for a day: one whose answer was lost comes again.
CREATE TABLE usage_batch (
  id {{key}} NOT NULL PRIMARY KEY,
  taken_at BIGINT NOT NULL              -- by the database's clock
);
CREATE INDEX usage_batch_by_time ON usage_batch (taken_at);
