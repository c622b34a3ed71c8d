-- kind: expand, floor: 1
-- Words in double braces differ between engines (catalog/sql/engine/dialect.cc).
-- Times are seconds since 1970 and days are counted from 1970-01-01 in UTC. Digests are 64 hex
-- digits. Flags are 0 or 1. A list has one element per line, with a line end after each and %XX for
-- what a line cannot hold.

-- Accounts. A key is a name folded to lower case, and unique; the name keeps its letter case.

-- People, and programs that act for themselves.
CREATE TABLE account (
  id {{key}} NOT NULL PRIMARY KEY,      -- random, and never reused
  kind {{key}} NOT NULL,                -- "user" or "service"
  name TEXT NOT NULL,
  name_key {{key}} NOT NULL,
  admin BIGINT NOT NULL,                -- 1: may do everything
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  disabled_at BIGINT,                   -- NULL: it may sign in and its tokens are valid
  language TEXT,                        -- "en", "ja" or "zh"; NULL: as the browser says
  UNIQUE (kind, name_key)
);

CREATE TABLE account_password (
  account_id {{key}} NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  hash TEXT NOT NULL
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

-- Namespaces.

CREATE TABLE namespace (
  name_key {{key}} NOT NULL PRIMARY KEY,  -- normalised like provider addresses
  name TEXT NOT NULL,
  title TEXT,                           -- a line; NULL: none
  description TEXT,                     -- some lines; NULL: none
  visibility TEXT NOT NULL,             -- "public", "internal" or "private"
  semver TEXT,                          -- "off", "warn" or "refuse"; NULL: as the settings say
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL
);
CREATE INDEX namespace_by_place ON namespace (visibility, (name_key || '/'));
CREATE INDEX namespace_by_visibility ON namespace (visibility, name_key);

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

-- At most one row: the first administrator's choice for new namespaces.
CREATE TABLE default_visibility (
  only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
  visibility TEXT NOT NULL              -- "public", "internal" or "private"
);

-- Sign-in. A secret is the SHA-256 in hex of a text that is stored nowhere.

-- OpenID Connect providers that users can sign in with.
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

-- Groups of such a provider whose members are in a group here.
CREATE TABLE identity_group (
  provider_key {{key}} NOT NULL REFERENCES identity_provider (name_key) ON DELETE CASCADE,
  position BIGINT NOT NULL,             -- from 0: the order in which they were given
  theirs TEXT NOT NULL,
  group_key {{key}} NOT NULL REFERENCES account_group (name_key) ON DELETE CASCADE,
  PRIMARY KEY (provider_key, position)
);
CREATE INDEX identity_group_by_group ON identity_group (group_key);

-- The account of a subject of such a provider.
CREATE TABLE external_identity (
  provider_key {{key}} NOT NULL REFERENCES identity_provider (name_key) ON DELETE CASCADE,
  subject {{key}} NOT NULL,
  account_id {{key}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  email TEXT,                           -- NULL: the provider reports none, or not that it is theirs
  created_at BIGINT NOT NULL,
  PRIMARY KEY (provider_key, subject)
);
CREATE INDEX external_identity_by_account ON external_identity (account_id);

-- Browsers that are signed in.
CREATE TABLE session (
  secret {{key}} NOT NULL PRIMARY KEY,  -- of the cookie's text
  id {{key}} NOT NULL UNIQUE,           -- random: identifies it to users, and opens nothing
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

-- Codes of clients, each valid for one token.
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

-- At most one row: the token that creates the first administrator.
CREATE TABLE setup_token (
  only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
  secret TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);

-- Tokens and trusted publishing.

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

CREATE TABLE token (
  name {{key}} NOT NULL PRIMARY KEY,
  secret TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,                  -- "read", "publish" or "admin"
  namespaces TEXT NOT NULL,             -- patterns, one a line; "": all
  account_id {{key}} REFERENCES account (id),  -- NULL: it acts for no account
  trust_id {{key}} REFERENCES trust (id) ON DELETE CASCADE,  -- what granted it; NULL: no CI job's
  provenance TEXT,                      -- JSON: claims of the CI job that got it; NULL: no CI job's
  created_at BIGINT NOT NULL,
  created_by TEXT,                      -- the caller who requested it
  expires_at BIGINT,
  last_used_at BIGINT,
  last_used_from TEXT                   -- an address; NULL: not known
);
CREATE INDEX token_by_account ON token (account_id);
CREATE INDEX token_by_trust ON token (trust_id);

-- Tokens of CI jobs that were exchanged: once in a namespace.
CREATE TABLE used_job_token (
  namespace_key {{key}} NOT NULL REFERENCES namespace (name_key) ON DELETE CASCADE,
  digest {{key}} NOT NULL,              -- SHA-256 in hex of its issuer and "jti", or of all of it
  expires_at BIGINT NOT NULL,           -- as the CI's token does
  PRIMARY KEY (namespace_key, digest)
);
CREATE INDEX used_job_token_by_end ON used_job_token (expires_at);

-- Modules. Keys are folded to lower case.

CREATE TABLE module (
  id {{identity}},
  address_key {{key}} NOT NULL UNIQUE,  -- "acme/vpc/aws"
  name_key {{key}} NOT NULL,
  namespace TEXT NOT NULL,              -- in the letter case of the first publish
  name TEXT NOT NULL,
  system TEXT NOT NULL,
  recorded BIGINT,                      -- 1: its namespace has a row, which stays; NULL: not known
  -- What listings show, kept in step with module_version by every transaction that changes it:
  -- a listing must not cost more when modules have many versions.
  version_count BIGINT NOT NULL,        -- not withdrawn
  latest_version TEXT,                  -- newest release, else newest prerelease; NULL when none
  latest_published_at BIGINT,
  latest_description TEXT,
  search_text TEXT NOT NULL             -- folded: namespace, name, system, description by line
);
CREATE INDEX module_by_name ON module (name_key, address_key);
-- In the order of addresses, since "/" ends a namespace in them.
CREATE INDEX module_by_namespace ON module (({{place of module}}), address_key);
CREATE INDEX module_unrecorded ON module (address_key) WHERE recorded IS NULL;

CREATE TABLE module_version (
  id {{identity}},
  module_id BIGINT NOT NULL REFERENCES module (id),
  version TEXT NOT NULL,                -- as published, build metadata included
  precedence_key {{key}} NOT NULL,      -- without build metadata: what must be unique
  archive_kind TEXT NOT NULL,           -- "tar.gz" or "zip"
  digest TEXT NOT NULL,                 -- of the archive that is served
  size BIGINT NOT NULL,
  upload_digest TEXT NOT NULL,          -- of the bytes that were uploaded
  description TEXT NOT NULL,
  published_at BIGINT NOT NULL,
  published_by TEXT NOT NULL,
  provenance TEXT,                      -- as the token's that published it
  step TEXT,                            -- domain/version_step.h; NULL: not compared
  deprecation TEXT,                     -- NULL: not deprecated
  withdrawn_at BIGINT,                  -- NULL: not withdrawn
  withdrawn_by TEXT,
  withdrawn_reason TEXT,
  withdrawn_successor TEXT NOT NULL DEFAULT '',     -- the version to use instead; "": none named
  withdrawn_kept_until BIGINT NOT NULL DEFAULT 0,   -- until when its bytes stay; 0: not withdrawn
  UNIQUE (module_id, precedence_key)
);
CREATE INDEX module_version_by_digest ON module_version (digest) WHERE withdrawn_at IS NULL;
CREATE INDEX module_version_kept ON module_version (digest) WHERE withdrawn_kept_until > 0;

-- The contents of module versions, as analyzed.
CREATE TABLE module_contents (
  module_key {{key}} NOT NULL,          -- module.address_key, or upstream_module.module_key
  version {{key}} NOT NULL,
  reader BIGINT NOT NULL,               -- the analysis that made it: a lower number is an older one
  size BIGINT NOT NULL DEFAULT 0,       -- of the body: memory is reserved before it is read
  body TEXT NOT NULL,                   -- JSON
  PRIMARY KEY (module_key, version)
);

-- Providers. Addresses are normalised.

CREATE TABLE provider (
  id {{identity}},
  address {{key}} NOT NULL UNIQUE,      -- "acme/demo"
  namespace {{key}} NOT NULL,
  type {{key}} NOT NULL,
  recorded BIGINT,                      -- as of the table module
  -- What listings show, kept in step with provider_release as in the table module.
  version_count BIGINT NOT NULL,        -- not withdrawn
  latest_version TEXT,                  -- newest release, else newest prerelease; NULL when none
  latest_published_at BIGINT
);
CREATE INDEX provider_by_namespace ON provider ((namespace || '/'), address);
CREATE INDEX provider_unrecorded ON provider (address) WHERE recorded IS NULL;

CREATE TABLE provider_release (
  id {{identity}},
  provider_id BIGINT NOT NULL REFERENCES provider (id),
  version TEXT NOT NULL,                -- as published, build metadata included
  precedence_key {{key}} NOT NULL,      -- without build metadata: what must be unique
  protocols TEXT NOT NULL,              -- a list
  -- A list, as in provider_package: a version list reads one row a version, not one a zip.
  platforms TEXT NOT NULL,
  sums_digest TEXT NOT NULL,            -- of SHA256SUMS: what makes two releases the same
  sums_size BIGINT NOT NULL,
  signature_digest TEXT NOT NULL,
  signature_size BIGINT NOT NULL,
  key_fingerprint TEXT NOT NULL,        -- of a signing_key of the provider's namespace
  published_at BIGINT NOT NULL,
  published_by TEXT NOT NULL,
  provenance TEXT,                      -- as the token's that published it
  deprecation TEXT NOT NULL,            -- "" when not deprecated
  withdrawn_at BIGINT,                  -- as in module_version, like all that follow
  withdrawn_by TEXT,
  withdrawn_reason TEXT,
  withdrawn_successor TEXT NOT NULL DEFAULT '',
  withdrawn_kept_until BIGINT NOT NULL DEFAULT 0,
  UNIQUE (provider_id, precedence_key)
);
CREATE INDEX provider_release_by_sums ON provider_release (sums_digest)
  WHERE withdrawn_at IS NULL;
CREATE INDEX provider_release_by_signature ON provider_release (signature_digest)
  WHERE withdrawn_at IS NULL;
CREATE INDEX provider_release_kept_by_sums ON provider_release (sums_digest)
  WHERE withdrawn_kept_until > 0;
CREATE INDEX provider_release_kept_by_signature ON provider_release (signature_digest)
  WHERE withdrawn_kept_until > 0;

-- The zip of a release for one platform.
CREATE TABLE provider_package (
  release_id BIGINT NOT NULL REFERENCES provider_release (id),
  os {{key}} NOT NULL,
  arch {{key}} NOT NULL,
  filename TEXT NOT NULL,
  digest TEXT NOT NULL,                 -- of the zip
  size BIGINT NOT NULL,
  h1 TEXT NOT NULL,                     -- a list
  PRIMARY KEY (release_id, os, arch)
);
CREATE INDEX provider_package_by_digest ON provider_package (digest);

-- OpenPGP keys of a namespace.
CREATE TABLE signing_key (
  namespace {{key}} NOT NULL,
  fingerprint {{key}} NOT NULL,         -- of the primary key, upper-case hex
  key_id TEXT NOT NULL,
  armor TEXT NOT NULL,                  -- the public key, as it is served
  user_ids TEXT NOT NULL,               -- a list
  algorithm TEXT NOT NULL,
  created_at BIGINT NOT NULL,           -- of the key itself
  expires_at BIGINT,                    -- of the key itself
  added_at BIGINT NOT NULL,
  added_by TEXT NOT NULL,
  removed_at BIGINT,                    -- NULL: it may sign new releases
  sealed_secret TEXT NOT NULL,          -- "" unless this server created it and signs with it
  server_made BIGINT NOT NULL,
  PRIMARY KEY (namespace, fingerprint)
);

-- Provider versions before their commit, and their files.
CREATE TABLE draft (
  id {{key}} NOT NULL PRIMARY KEY,
  namespace {{key}} NOT NULL,
  type {{key}} NOT NULL,
  version TEXT NOT NULL,
  upload TEXT NOT NULL DEFAULT '',      -- the publisher's name of its files: who retries finds it by this
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX draft_by_namespace ON draft (namespace, type, version);
CREATE INDEX draft_by_expiry ON draft (expires_at);

CREATE TABLE draft_file (
  draft_id {{key}} NOT NULL REFERENCES draft (id) ON DELETE CASCADE,
  name {{key}} NOT NULL,
  digest TEXT NOT NULL,
  size BIGINT NOT NULL,
  h1 TEXT NOT NULL,                     -- a list
  problems TEXT NOT NULL,               -- a list
  PRIMARY KEY (draft_id, name)
);
CREATE INDEX draft_file_by_digest ON draft_file (digest);

-- Docs and schemas of providers: an index of zips in the blob store (ADR 51).

CREATE TABLE release_inside (
  release_id BIGINT NOT NULL PRIMARY KEY REFERENCES provider_release (id),
  docs_digest TEXT,                     -- of the zip of docs; NULL: there is none
  docs_size BIGINT,
  docs_signed BIGINT,                   -- 1: SHA256SUMS lists it
  schema_digest TEXT,                   -- of the zip that was created from the schema
  schema_size BIGINT,
  schema_signed BIGINT,                 -- 1: SHA256SUMS lists what it was created from
  warnings TEXT NOT NULL                -- a list: file, line and text, in turn
);
CREATE INDEX release_inside_by_docs ON release_inside (docs_digest)
  WHERE docs_digest IS NOT NULL;
CREATE INDEX release_inside_by_schema ON release_inside (schema_digest)
  WHERE schema_digest IS NOT NULL;

-- A page.
CREATE TABLE release_doc (
  release_id BIGINT NOT NULL REFERENCES provider_release (id),
  language {{key}} NOT NULL,            -- of cdktf; "": configurations
  kind {{key}} NOT NULL,                -- "overview", "resources"
  name {{key}} NOT NULL,
  title TEXT NOT NULL,
  subcategory TEXT NOT NULL,
  description TEXT NOT NULL,
  deprecated BIGINT NOT NULL,
  part_begin BIGINT NOT NULL,           -- where its bytes lie in the zip
  part_packed BIGINT NOT NULL,
  part_size BIGINT NOT NULL,            -- unpacked
  part_deflated BIGINT NOT NULL,
  PRIMARY KEY (release_id, language, kind, name)
);

-- A resource, a data source, a function.
CREATE TABLE release_schema (
  release_id BIGINT NOT NULL REFERENCES provider_release (id),
  kind {{key}} NOT NULL,                -- "resource"
  name {{key}} NOT NULL,
  deprecated BIGINT NOT NULL,
  part_begin BIGINT NOT NULL,
  part_packed BIGINT NOT NULL,
  part_size BIGINT NOT NULL,
  part_deflated BIGINT NOT NULL,
  PRIMARY KEY (release_id, kind, name)
);

-- The mirror: what is stored of upstreams. Hosts are in their ASCII form.

CREATE TABLE upstream_document (
  id {{identity}},
  document_key {{key}} NOT NULL UNIQUE,  -- "provider-versions:registry.example.com/acme/demo"
  body_digest TEXT NOT NULL,
  etag TEXT NOT NULL,                    -- upstream's validators; "" when there are none
  last_modified TEXT NOT NULL,
  checked_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL
);

-- Apart: a document that is confirmed every few minutes must not be written as often.
CREATE TABLE upstream_document_body (
  document_id BIGINT NOT NULL PRIMARY KEY REFERENCES upstream_document (id),
  body TEXT NOT NULL
);

CREATE TABLE upstream_provider (
  id {{identity}},
  provider_key {{key}} NOT NULL UNIQUE,  -- "registry.example.com/acme/demo"
  host {{key}} NOT NULL,
  namespace {{key}} NOT NULL,
  type {{key}} NOT NULL
);

-- Pinned: no column ever changes, and no row is deleted.
CREATE TABLE upstream_release (
  id {{identity}},
  provider_id BIGINT NOT NULL REFERENCES upstream_provider (id),
  version {{key}} NOT NULL,              -- build metadata included
  protocols TEXT NOT NULL,               -- a list
  sums_digest TEXT,                      -- of the author's SHA256SUMS; NULL when there is none
  sums_size BIGINT,
  signature_digest TEXT,
  signature_size BIGINT,
  keys TEXT NOT NULL,                    -- JSON, as upstream gave it; "" without a signature
  fit_for_origin BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  UNIQUE (provider_id, version)
);
CREATE INDEX upstream_release_by_sums ON upstream_release (sums_digest)
  WHERE sums_digest IS NOT NULL;
CREATE INDEX upstream_release_by_signature ON upstream_release (signature_digest)
  WHERE signature_digest IS NOT NULL;

CREATE TABLE upstream_package (
  id {{identity}},
  release_id BIGINT NOT NULL REFERENCES upstream_release (id),
  os {{key}} NOT NULL,
  arch {{key}} NOT NULL,
  filename TEXT NOT NULL,
  digest TEXT NOT NULL,                  -- of the zip: pinned
  size BIGINT NOT NULL,                  -- 0 while not known
  hashes TEXT NOT NULL,                  -- a list
  held BIGINT NOT NULL,                  -- 1: the zip is in the blob store
  UNIQUE (release_id, os, arch)
);
CREATE INDEX upstream_package_by_digest ON upstream_package (digest) WHERE held = 1;

CREATE TABLE upstream_module (
  id {{identity}},
  module_key {{key}} NOT NULL UNIQUE,    -- "registry.example.com/acme/vpc/aws", in lower case
  host {{key}} NOT NULL,
  namespace TEXT NOT NULL,               -- in the letter case that was seen first
  name TEXT NOT NULL,
  system TEXT NOT NULL
);

CREATE TABLE upstream_module_version (
  id {{identity}},
  module_id BIGINT NOT NULL REFERENCES upstream_module (id),
  version {{key}} NOT NULL,              -- build metadata included
  archive_kind TEXT NOT NULL,            -- "tar.gz" or "zip"
  digest TEXT NOT NULL,                  -- of the archive that is served: pinned
  size BIGINT NOT NULL,
  source TEXT NOT NULL,                  -- where it came from, for people
  held BIGINT NOT NULL,                  -- 1: the archive is in the blob store
  seen_at BIGINT NOT NULL,
  UNIQUE (module_id, version)
);
CREATE INDEX upstream_module_version_by_digest ON upstream_module_version (digest) WHERE held = 1;

-- The blobs of mirrored packages and modules, each once, whoever names it: what the limit of their
-- bytes counts, and in which order they are evicted.
CREATE TABLE held_blob (
  digest {{key}} NOT NULL PRIMARY KEY,
  size BIGINT NOT NULL,
  used_at BIGINT NOT NULL
);
CREATE INDEX held_blob_by_use ON held_blob (used_at, digest);
CREATE INDEX held_blob_by_size ON held_blob (size);

-- What the mirror did on a day, in sums of all servers. Stored batches are in usage_batch.
CREATE TABLE mirror_count (
  day BIGINT NOT NULL,
  kind BIGINT NOT NULL,                 -- MirrorCountKind
  count BIGINT NOT NULL,                -- archives, or requests
  bytes BIGINT NOT NULL,                -- of archives
  PRIMARY KEY (day, kind)
);

-- Search: what searches find, kept in step by every transaction that publishes, withdraws or
-- deprecates. domain/search_document.h says what the words are.

-- Versions whose contents searches find.
CREATE TABLE search_subject (
  id {{sequence}},
  subject_key {{key}} NOT NULL,         -- "module:acme/vpc/aws"
  kind TEXT NOT NULL,                   -- "module" or "provider"
  address TEXT NOT NULL,                -- as it is shown
  version {{key}} NOT NULL,
  namespace_key {{key}} NOT NULL,
  published_at BIGINT NOT NULL,
  newest BIGINT NOT NULL,               -- 1: of those of its subject, what is shown
  deprecated BIGINT NOT NULL,
  recorded BIGINT,                      -- as of the table module
  UNIQUE (subject_key, version)
);
CREATE INDEX search_subject_unrecorded ON search_subject (namespace_key) WHERE recorded IS NULL;
-- The orders of lists, which show newest versions only, and of feeds: each begins with what comes
-- first, however many there are and whatever was indexed last.
CREATE INDEX search_subject_by_time ON search_subject (kind, published_at DESC, subject_key)
  WHERE newest = 1;
CREATE INDEX search_subject_by_merit
  ON search_subject (kind, deprecated, published_at DESC, subject_key) WHERE newest = 1;
CREATE INDEX search_subject_by_key ON search_subject (kind, subject_key) WHERE newest = 1;
CREATE INDEX search_subject_all_by_time
  ON search_subject (kind, published_at DESC, subject_key, version);

-- Parts of such versions, each with its words.
CREATE TABLE search_entry (
  id {{sequence}},
  subject_id BIGINT NOT NULL REFERENCES search_subject (id),
  namespace_key {{key}} NOT NULL,       -- these four as the subject has them
  published_at BIGINT NOT NULL,
  newest BIGINT NOT NULL,
  deprecated BIGINT NOT NULL,
  kind {{key}} NOT NULL,                -- "input"
  kind_order BIGINT NOT NULL,
  name TEXT NOT NULL,
  name_key {{key}} NOT NULL,            -- folded
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  head TEXT NOT NULL,                   -- the words of its name and title
  words TEXT NOT NULL
);
CREATE INDEX search_entry_by_subject ON search_entry (subject_id);
{{index of words}}
-- The entry of each module and provider that stands for all of it.
CREATE INDEX search_entry_of_package ON search_entry (subject_id)
  WHERE kind IN ('module', 'provider');

-- Words of names and titles by what is left of them without one letter: what a misspelt word may
-- have meant. Words that no entry has any more stay until the index is rebuilt.
CREATE TABLE search_spelling (
  piece {{key}} NOT NULL,
  word {{key}} NOT NULL,
  PRIMARY KEY (piece, word)
);

-- The words of entries, on PostgreSQL only: its index cannot tell which begin with some letters.
-- Words that no entry has any more stay.
CREATE TABLE search_word (
  word {{key}} PRIMARY KEY              -- "n:vpc", with the letter of its place
);

-- Usage: who fetches what, in sums.

-- A version that was fetched, with its total count.
CREATE TABLE usage_item (
  id {{identity}},
  kind BIGINT NOT NULL,                 -- UsageKind
  address {{key}} NOT NULL,             -- "acme/vpc/aws", "HOST/acme/demo"
  version {{key}} NOT NULL,
  namespace {{key}} NOT NULL,           -- its key; "": of an upstream
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
  day BIGINT NOT NULL,
  principal BIGINT NOT NULL,
  label BIGINT NOT NULL,
  client BIGINT NOT NULL,               -- UsageClient::number()
  fetches BIGINT NOT NULL,
  archives BIGINT NOT NULL,
  PRIMARY KEY (item, day, principal, label, client)
);
CREATE INDEX usage_day_by_day ON usage_day (day);
CREATE INDEX usage_day_by_principal ON usage_day (principal);

-- What old days were summed up to.
CREATE TABLE usage_month (
  item BIGINT NOT NULL,
  month BIGINT NOT NULL,                -- its first day
  client BIGINT NOT NULL,
  fetches BIGINT NOT NULL,
  archives BIGINT NOT NULL,
  PRIMARY KEY (item, month, client)
);
CREATE INDEX usage_month_by_month ON usage_month (month);

-- Batches that were stored, for a day: one whose response was lost comes again.
CREATE TABLE usage_batch (
  id {{key}} NOT NULL PRIMARY KEY,
  taken_at BIGINT NOT NULL              -- by the database's clock
);
CREATE INDEX usage_batch_by_time ON usage_batch (taken_at);

-- How many bytes a token or an address was sent on a day, by all servers.
CREATE TABLE sent_bytes (
  day BIGINT NOT NULL,
  sent_to {{key}} NOT NULL,             -- "token:NAME", "address:192.0.2.7", "address:2001:db8::/64"
  bytes BIGINT NOT NULL,
  PRIMARY KEY (day, sent_to)
);

-- Audit.

-- Every change, and every denied attempt. Rows are added, linked, and removed at their old end. Who
-- adds one only inserts: it never waits for who links them. Anonymous denied attempts are not
-- linked, so that they can be removed before other entries (ADR 80).
CREATE TABLE audit (
  id {{sequence}},                      -- the order of writing; may become visible out of order
  kind TEXT NOT NULL,                   -- "change" or "denied"
  at BIGINT NOT NULL,
  actor {{key}} NOT NULL,               -- of an account or token; "koya" the server, "" anonymous
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
CREATE INDEX audit_to_link ON audit (id)
  WHERE sequence IS NULL AND NOT (kind = 'denied' AND actor = '');
CREATE INDEX audit_of_strangers ON audit (at)
  WHERE sequence IS NULL AND kind = 'denied' AND actor = '';

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

-- Servers and storage.

-- Which installation the catalog is of, in one row: a server with another server.secret does not
-- start.
CREATE TABLE installation (
  one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,                     -- random, created once
  secret_mark TEXT NOT NULL,            -- of the id, with a key that follows from server.secret
  storage TEXT                          -- where its blobs are: "s3://BUCKET/PREFIX"; NULL: a folder
);

-- The processes that serve from this catalog. A row that is not renewed counts for nothing.
CREATE TABLE replica (
  id {{key}} NOT NULL PRIMARY KEY,      -- random; the holder of its leases
  address TEXT NOT NULL,
  version TEXT NOT NULL,                -- of the program
  schema_step BIGINT NOT NULL,          -- the last migration that the program knows
  started_at BIGINT NOT NULL,           -- as seen_at, by the database's clock
  seen_at BIGINT NOT NULL,
  feed_age_ms BIGINT NOT NULL,          -- the age of its last read of the change log
  clock_ahead_ms BIGINT NOT NULL        -- of its machine, before the database's
);

-- Work that one server at a time should do, by the database's clock.
CREATE TABLE lease (
  name {{key}} NOT NULL PRIMARY KEY,
  holder TEXT NOT NULL,                 -- a process, by a random name
  address TEXT NOT NULL,                -- where that is, for people
  until BIGINT NOT NULL                 -- free after this second, unless the holder renews it
);

-- Changes that affect responses.
CREATE TABLE change (
  sequence {{sequence}},
  topic TEXT NOT NULL,                  -- "module:<address key>" or "token:<name>"
  mark TEXT                             -- random: tells a change from one that a failover lost
);

-- Objects of a remote store. Only those whose names were given out here: what else is in the store
-- is never removed.
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
