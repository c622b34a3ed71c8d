-- kind: expand, floor: 3
-- Keys are names folded to lower case, and unique; the names keep the letter case they were given.

-- People and programs that act for themselves.
CREATE TABLE account (
  id {{key}} NOT NULL PRIMARY KEY,      -- random, and never given again
  kind {{key}} NOT NULL,                -- "user" or "service"
  name TEXT NOT NULL,
  name_key {{key}} NOT NULL,
  admin BIGINT NOT NULL,                -- 0 or 1: may do everything
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  disabled_at BIGINT,                   -- NULL while it may sign in and its tokens are good
  UNIQUE (kind, name_key)
);

CREATE TABLE account_group (
  name_key {{key}} NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL
);

CREATE TABLE group_member (
  group_key {{key}} NOT NULL REFERENCES account_group (name_key) ON DELETE CASCADE,
  account_id {{key}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  source {{key}} NOT NULL,              -- "" an administrator, else the sign-in provider that says so
  PRIMARY KEY (group_key, account_id, source)
);
CREATE INDEX group_member_by_account ON group_member (account_id);

-- What has none was made by a program that knows no namespaces; it is readable as the setting
-- access.default_visibility says.
CREATE TABLE namespace (
  name_key {{key}} NOT NULL PRIMARY KEY,  -- as provider addresses are normalised
  name TEXT NOT NULL,
  visibility TEXT NOT NULL,             -- "public", "internal" or "private"
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL              -- "" when it is older than this row
);

CREATE TABLE namespace_grant (
  namespace_key {{key}} NOT NULL REFERENCES namespace (name_key) ON DELETE CASCADE,
  grantee_kind {{key}} NOT NULL,        -- "user", "group" or "service"
  grantee {{key}} NOT NULL,             -- an account's id, or a group's key
  role TEXT NOT NULL,                   -- "reader", "publisher" or "owner"
  granted_at BIGINT NOT NULL,
  granted_by TEXT NOT NULL,
  PRIMARY KEY (namespace_key, grantee_kind, grantee)
);
CREATE INDEX namespace_grant_by_grantee ON namespace_grant (grantee, grantee_kind);

-- NULL: the token is of its own, as all were before there were accounts.
ALTER TABLE token ADD COLUMN account_id {{key}} REFERENCES account (id);
CREATE INDEX token_by_account ON token (account_id);
