-- kind: expand, floor: 1
-- What users watch. What happened to it is in the audit log: no row is written for each watcher.
CREATE TABLE watch (
  account_id {{key}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  subject {{key}} NOT NULL,             -- "module:acme/vpc/aws", "namespace:acme", by keys
  namespace_key {{key}} NOT NULL,
  address TEXT NOT NULL,                -- in the letter case as published
  mail TEXT NOT NULL,                   -- "now", "daily" or "off"
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, subject)
);
CREATE INDEX watch_by_namespace ON watch (account_id, namespace_key);
-- Up to where users saw their notifications, and got mail about them.
CREATE TABLE notified_user (
  account_id {{key}} NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  seen_id BIGINT NOT NULL DEFAULT 0,    -- of the table audit
  seen_at BIGINT NOT NULL DEFAULT 0,
  email TEXT NOT NULL DEFAULT '',       -- by an administrator, or confirmed; "": a provider's
  asked_email TEXT NOT NULL DEFAULT '', -- to be confirmed
  asked_secret {{key}} NOT NULL DEFAULT '',  -- SHA-256 in hex of the link's text
  asked_until BIGINT NOT NULL DEFAULT 0,
  mail_ended BIGINT NOT NULL DEFAULT 0, -- 1: no mail
  mailed_id BIGINT NOT NULL DEFAULT 0,  -- as seen_id; 0: before the first look
  digest_id BIGINT NOT NULL DEFAULT 0,  -- the same for digests
  digest_at BIGINT NOT NULL DEFAULT 0,
  reminded_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX notified_user_by_secret ON notified_user (asked_secret) WHERE asked_secret <> '';
