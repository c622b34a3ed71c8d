-- kind: expand, floor: 3
-- What is of an account goes with it, also when a program removes it that knows none of this.
-- Secrets are SHA-256 in hex, of texts that are stored nowhere.

CREATE TABLE account_password (
  account_id {{key}} NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  hash TEXT NOT NULL
);

-- OpenID Connect providers that people can sign in with.
CREATE TABLE identity_provider (
  name_key {{key}} NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  issuer TEXT NOT NULL,
  client_id TEXT NOT NULL,
  sealed_secret TEXT NOT NULL,          -- "" for a public client, which has none
  groups_claim TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL
);

-- Whose members there are whose members here.
CREATE TABLE identity_group (
  provider_key {{key}} NOT NULL REFERENCES identity_provider (name_key) ON DELETE CASCADE,
  position BIGINT NOT NULL,             -- from 0: the order in which they were given
  theirs TEXT NOT NULL,
  group_key {{key}} NOT NULL REFERENCES account_group (name_key) ON DELETE CASCADE,
  PRIMARY KEY (provider_key, position)
);
CREATE INDEX identity_group_by_group ON identity_group (group_key);

-- Who a subject of a provider is here.
CREATE TABLE external_identity (
  provider_key {{key}} NOT NULL REFERENCES identity_provider (name_key) ON DELETE CASCADE,
  subject {{key}} NOT NULL,
  account_id {{key}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (provider_key, subject)
);
CREATE INDEX external_identity_by_account ON external_identity (account_id);

-- Browsers that are signed in.
CREATE TABLE session (
  secret {{key}} NOT NULL PRIMARY KEY,  -- of what the cookie holds
  id {{key}} NOT NULL UNIQUE,           -- random: names it to people, and opens nothing
  account_id {{key}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  provider_key {{key}} REFERENCES identity_provider (name_key) ON DELETE CASCADE,  -- NULL: none
  method TEXT NOT NULL,                 -- "password", or "oidc:" and the provider's name
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT                   -- to the minute; NULL: not yet
);
CREATE INDEX session_by_account ON session (account_id, created_at);
CREATE INDEX session_by_provider ON session (provider_key);
CREATE INDEX session_by_start ON session (created_at);
CREATE INDEX session_by_end ON session (expires_at);

-- Codes of clients, each good for one token.
CREATE TABLE login_code (
  secret {{key}} NOT NULL PRIMARY KEY,
  account_id {{key}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL,
  scope TEXT NOT NULL,                  -- "read", "publish" or "admin"
  expires_at BIGINT NOT NULL
);
CREATE INDEX login_code_by_account ON login_code (account_id);
CREATE INDEX login_code_by_end ON login_code (expires_at);

-- At most one row: what makes the first administrator.
CREATE TABLE setup_token (
  only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
  secret TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);

-- CI identities that may publish in a namespace.
CREATE TABLE trust (
  id {{key}} NOT NULL PRIMARY KEY,
  namespace_key {{key}} NOT NULL REFERENCES namespace (name_key) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  rules TEXT NOT NULL,                  -- a list of "NAME=PATTERN"
  rules_digest {{key}} NOT NULL,        -- SHA-256 in hex of issuer and rules, whatever their order
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  UNIQUE (namespace_key, rules_digest)
);

-- What a CI identity said of itself when it got the token, and then published: JSON. NULL: it was
-- none.
ALTER TABLE token ADD COLUMN provenance TEXT;
ALTER TABLE module_version ADD COLUMN provenance TEXT;
ALTER TABLE provider_release ADD COLUMN provenance TEXT;
