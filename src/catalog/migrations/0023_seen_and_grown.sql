-- kind: expand, floor: 3
-- Where a token was used last, the language of an account, and how much was stored on each day. Servers
-- that do not know these leave the first as it is when they note a use, and sample nothing.

ALTER TABLE token ADD COLUMN last_used_from TEXT;  -- an address; NULL: not known
ALTER TABLE account ADD COLUMN language TEXT;      -- "en", "ja" or "zh"; NULL: as the browser says

CREATE TABLE storage_day (
  day BIGINT NOT NULL PRIMARY KEY,      -- of UTC, since 1970
  modules BIGINT NOT NULL,              -- bytes, as all that follow
  provider_packages BIGINT NOT NULL,
  provider_docs BIGINT NOT NULL,
  mirrored BIGINT NOT NULL,
  drafts BIGINT NOT NULL
);
