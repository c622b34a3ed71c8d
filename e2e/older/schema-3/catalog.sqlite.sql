PRAGMA application_id = 1265596769;
BEGIN TRANSACTION;
CREATE TABLE change (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  topic TEXT NOT NULL                   -- "module:<address key>" or "token:<name>"
);
INSERT INTO "change" VALUES(1,'token:dev-admin');
INSERT INTO "change" VALUES(2,'module:acme/vpc/aws');
INSERT INTO "change" VALUES(3,'module:acme/vpc/aws');
INSERT INTO "change" VALUES(4,'module:acme/vpc/aws');
INSERT INTO "change" VALUES(5,'');
INSERT INTO "change" VALUES(6,'provider:acme/demo');
INSERT INTO "change" VALUES(7,'token:ci');
INSERT INTO "change" VALUES(8,'mirror:registry.example.com/acme/other');
CREATE TABLE draft (
  id TEXT NOT NULL PRIMARY KEY,
  namespace TEXT NOT NULL,
  type TEXT NOT NULL,
  version TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
INSERT INTO "draft" VALUES('-LAijlBWR1XDN00R1eCCUg','acme','demo','1.1.0',1795343832,'dev-admin',2110703832);
CREATE TABLE draft_file (
  draft_id TEXT NOT NULL REFERENCES draft (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  size BIGINT NOT NULL,
  h1 TEXT NOT NULL,                     -- a list
  problems TEXT NOT NULL,               -- a list
  PRIMARY KEY (draft_id, name)
);
INSERT INTO "draft_file" VALUES('-LAijlBWR1XDN00R1eCCUg','terraform-provider-demo_1.1.0_linux_amd64.zip','fa1c63df414638aec8786fff2563f7d75312e5ffd0e2056b483d7668a31814f1',198,'h1:SPwc1aSeqwAk7oPrNlwkdz4bmbKo4k3jfvPdAhLge8o=
','');
CREATE TABLE held_blob (
  digest TEXT NOT NULL PRIMARY KEY,
  size BIGINT NOT NULL,
  used_at BIGINT NOT NULL
);
INSERT INTO "held_blob" VALUES('121d5a7f8ed999d4ff675ddd1313b9dc246fb525add585aa5cec05816ffacf7f',201,1795343832);
CREATE TABLE module (
  id INTEGER PRIMARY KEY,
  address_key TEXT NOT NULL UNIQUE,  -- "acme/vpc/aws"
  name_key TEXT NOT NULL,
  namespace TEXT NOT NULL,              -- in the letter case of the first publish
  name TEXT NOT NULL,
  system TEXT NOT NULL,
  -- What listings show, kept in step with module_version by every transaction that changes it:
  -- a listing must not cost more when modules have many versions.
  version_count BIGINT NOT NULL,        -- not withdrawn
  latest_version TEXT,                  -- newest release, else newest prerelease; NULL when none
  latest_published_at BIGINT,
  latest_description TEXT,
  search_text TEXT NOT NULL             -- folded: namespace, name, system, description by line
);
INSERT INTO "module" VALUES(1,'acme/vpc/aws','vpc','Acme','vpc','aws',1,'1.0.0',1795343832,'','acme
vpc
aws
');
CREATE TABLE module_version (
  id INTEGER PRIMARY KEY,
  module_id BIGINT NOT NULL REFERENCES module (id),
  version TEXT NOT NULL,                -- as published, build metadata included
  precedence_key TEXT NOT NULL,      -- without build metadata: what must be unique
  archive_kind TEXT NOT NULL,           -- "tar.gz" or "zip"
  digest TEXT NOT NULL,                 -- of the archive that is served
  size BIGINT NOT NULL,
  upload_digest TEXT NOT NULL,          -- of the bytes that were uploaded
  description TEXT NOT NULL,
  published_at BIGINT NOT NULL,
  published_by TEXT NOT NULL,
  withdrawn_at BIGINT,                  -- NULL while the version is there
  withdrawn_by TEXT,
  withdrawn_reason TEXT,
  UNIQUE (module_id, precedence_key)
);
INSERT INTO "module_version" VALUES(1,1,'1.0.0','1.0.0','tar.gz','65d4310ac394e0216fc34b25e1066d372d3090c395dbc86a4babc237e9c36437',118,'65d4310ac394e0216fc34b25e1066d372d3090c395dbc86a4babc237e9c36437','',1795343832,'dev-admin',NULL,NULL,NULL);
INSERT INTO "module_version" VALUES(2,1,'1.1.0','1.1.0','tar.gz','411a34ae3630f8b3a25e87d961b6c322280fbd8c18df5ab67f545f1d1045670a',118,'411a34ae3630f8b3a25e87d961b6c322280fbd8c18df5ab67f545f1d1045670a','',1795343832,'dev-admin',1795343832,'dev-admin','broken');
CREATE TABLE provider (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,      -- "acme/demo"
  namespace TEXT NOT NULL,
  type TEXT NOT NULL,
  -- What listings show, kept in step with provider_release by every transaction that changes it:
  -- a listing must not cost more when providers have many versions.
  version_count BIGINT NOT NULL,        -- not withdrawn
  latest_version TEXT,                  -- newest release, else newest prerelease; NULL when none
  latest_published_at BIGINT
);
INSERT INTO "provider" VALUES(1,'acme/demo','acme','demo',1,'1.0.0',1795343832);
CREATE TABLE provider_package (
  release_id BIGINT NOT NULL REFERENCES provider_release (id),
  os TEXT NOT NULL,
  arch TEXT NOT NULL,
  filename TEXT NOT NULL,
  digest TEXT NOT NULL,                 -- of the zip
  size BIGINT NOT NULL,
  h1 TEXT NOT NULL,                     -- a list
  PRIMARY KEY (release_id, os, arch)
);
INSERT INTO "provider_package" VALUES(1,'linux','amd64','terraform-provider-demo_1.0.0_linux_amd64.zip','2d0dd5afbaed5926cb4d88568b41b79297b08e36ecaa66da62a4e97a07dbfbd7',198,'h1:FExINBpHPkoIbxDsHSxsbz57sht6FLrnx71CzLThv5E=
');
CREATE TABLE provider_release (
  id INTEGER PRIMARY KEY,
  provider_id BIGINT NOT NULL REFERENCES provider (id),
  version TEXT NOT NULL,                -- as published, build metadata included
  precedence_key TEXT NOT NULL,      -- without build metadata: what must be unique
  protocols TEXT NOT NULL,              -- a list
  -- A list of what provider_package holds: a version list reads one row a version, not one a zip.
  platforms TEXT NOT NULL,
  sums_digest TEXT NOT NULL,            -- of SHA256SUMS: what makes two releases the same
  sums_size BIGINT NOT NULL,
  signature_digest TEXT NOT NULL,
  signature_size BIGINT NOT NULL,
  key_fingerprint TEXT NOT NULL,        -- of a signing_key of the provider's namespace
  published_at BIGINT NOT NULL,
  published_by TEXT NOT NULL,
  deprecation TEXT NOT NULL,            -- "" when not deprecated
  withdrawn_at BIGINT,                  -- NULL while the version is there
  withdrawn_by TEXT,
  withdrawn_reason TEXT,
  UNIQUE (provider_id, precedence_key)
);
INSERT INTO "provider_release" VALUES(1,1,'1.0.0','1.0.0','5.0
','linux_amd64
','3bd818dcce2d637bbf4f85a726c6347e2252c19c72d906efcd365cb42a7d8508',112,'5cf4b36a871d39a3436da0b39e3d7453abb7853abe5cabcdf064afecd4652675',125,'ABE1409AF237ACBB1A9CDC70AB712E9D97A8A63C',1795343832,'dev-admin','',NULL,NULL,NULL);
CREATE TABLE schema_migration (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL);
INSERT INTO "schema_migration" VALUES(1,'0001_modules_tokens_changes','abf1f56330f81d858028692649d8b183c3b899698f05a6b147cadb630b3fb1ba',1795343831);
INSERT INTO "schema_migration" VALUES(2,'0002_providers_keys_drafts','6111f76c31db5ca57911f771c1cd273bfbc27fcc76d21da06ac688e66835e768',1795343831);
INSERT INTO "schema_migration" VALUES(3,'0003_upstream','ab47bfed7db1b382c25ad01fa6bf3cfa2d45b6fdea5431b2296d5ae3fd9085a5',1795343831);
CREATE TABLE signing_key (
  namespace TEXT NOT NULL,
  fingerprint TEXT NOT NULL,         -- of the primary key, upper-case hex
  key_id TEXT NOT NULL,
  armor TEXT NOT NULL,                  -- the public key, as it is served
  user_ids TEXT NOT NULL,               -- a list
  algorithm TEXT NOT NULL,
  created_at BIGINT NOT NULL,           -- of the key itself
  expires_at BIGINT,                    -- of the key itself
  added_at BIGINT NOT NULL,
  added_by TEXT NOT NULL,
  removed_at BIGINT,                    -- NULL while it may sign new releases
  sealed_secret TEXT NOT NULL,          -- "" unless this server made it and signs with it
  server_made BIGINT NOT NULL,          -- 0 or 1
  PRIMARY KEY (namespace, fingerprint)
);
INSERT INTO "signing_key" VALUES('acme','ABE1409AF237ACBB1A9CDC70AB712E9D97A8A63C','AB712E9D97A8A63C','-----BEGIN PGP PUBLIC KEY BLOCK-----

xjMEawLF2BYJKwYBBAHaRw8BAQdANaTCmRzrfTo3Mb4c7Mb7b/kPIf1F7ioqj0MQ
+m1/iWHNFWFjbWUgKHNpZ25lZCBieSBLb3lhKcKJBBMWCgAxFiEEq+FAmvI3rLsa
nNxwq3EunZeopjwFAmsCxdgCGwMECwkIBwUVCAkKCwUWAgMBAAAKCRCrcS6dl6im
PB2NAP9QCYubrAh2HEwjDU4z75HR3anPA/syJwqc1iMkvmNfTAEAhjcINEtk+O9u
gCvh3Vg0VNkFl7C9gHRjplSqn7U3iQ8=
=63Mp
-----END PGP PUBLIC KEY BLOCK-----
','acme (signed by Koya)
','Ed25519',1795343832,NULL,1795343832,'dev-admin',NULL,'AckIdG9uqSafN6oCrO2hcjeuikmub1/t3CKrfImbtHi0+0kUXnzw4eBvKPm1C/CEliv0k9Isoo3tjyCoWHRFbzYwvjY8MNSiJqup7P4xO/wUW26mga3UDNEXCqkXWDsKmyODYWnZ2JD1fU/S04XgzPRJw9zrvb6NhtKIlwQtAJWIKSVe1Gyh5sqdxocqN5InCGobY/GS+sNj9um0CGGbQW2NOYAj8wYjivGv50jMdPD20JnpFKUHMmyXO79eKd7OSObsFT2zNDfLFlwP+Q7HjyUsEzmDfnlpwka/i4NKGiL5T0qx0WNTTFeWD/QaGKgu1xFi+qD75q3kuViBa82JIVcM5Qr1tpxqU5Fmf4UNUttt4PKhqwLaHBNzQbbdPtsshTpjos8=',1);
CREATE TABLE token (
  name TEXT NOT NULL PRIMARY KEY,
  secret TEXT NOT NULL UNIQUE,          -- SHA-256 of the token's text
  scope TEXT NOT NULL,                  -- "read", "publish" or "admin"
  namespaces TEXT NOT NULL,             -- patterns, one a line; "" = all
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT
);
INSERT INTO "token" VALUES('dev-admin','337c169d7561aa762d6081826192b91bed9810e3e15f5cf07eb580d6f9451c4d','admin','',1795343832,NULL,1795343832);
INSERT INTO "token" VALUES('ci','ee4751c23ecbaf8bb79fba9f485e5553e7b48b02ba49c1d49ed1337c5c216553','publish','acme',1795343832,NULL,NULL);
CREATE TABLE upstream_document (
  id INTEGER PRIMARY KEY,
  document_key TEXT NOT NULL UNIQUE,  -- "provider-versions:registry.example.com/acme/demo"
  body_digest TEXT NOT NULL,
  etag TEXT NOT NULL,                    -- upstream's validators; "" when there are none
  last_modified TEXT NOT NULL,
  checked_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL
);
CREATE TABLE upstream_document_body (
  document_id BIGINT NOT NULL PRIMARY KEY REFERENCES upstream_document (id),
  body TEXT NOT NULL
);
CREATE TABLE upstream_module (
  id INTEGER PRIMARY KEY,
  module_key TEXT NOT NULL UNIQUE,    -- "registry.example.com/acme/vpc/aws", in lower case
  host TEXT NOT NULL,
  namespace TEXT NOT NULL,               -- in the letter case that was seen first
  name TEXT NOT NULL,
  system TEXT NOT NULL
);
CREATE TABLE upstream_module_version (
  id INTEGER PRIMARY KEY,
  module_id BIGINT NOT NULL REFERENCES upstream_module (id),
  version TEXT NOT NULL,              -- build metadata included
  archive_kind TEXT NOT NULL,            -- "tar.gz" or "zip"
  digest TEXT NOT NULL,                  -- of the archive that is served: pinned
  size BIGINT NOT NULL,
  source TEXT NOT NULL,                  -- where it came from, for people
  held BIGINT NOT NULL,                  -- 0 or 1: the archive is in the blob store
  seen_at BIGINT NOT NULL,
  UNIQUE (module_id, version)
);
CREATE TABLE upstream_package (
  id INTEGER PRIMARY KEY,
  release_id BIGINT NOT NULL REFERENCES upstream_release (id),
  os TEXT NOT NULL,
  arch TEXT NOT NULL,
  filename TEXT NOT NULL,
  digest TEXT NOT NULL,                  -- of the zip: pinned
  size BIGINT NOT NULL,                  -- 0 while not known
  hashes TEXT NOT NULL,                  -- a list
  held BIGINT NOT NULL,                  -- 0 or 1: the zip is in the blob store
  UNIQUE (release_id, os, arch)
);
INSERT INTO "upstream_package" VALUES(1,1,'linux','amd64','terraform-provider-other_2.0.0_linux_amd64.zip','121d5a7f8ed999d4ff675ddd1313b9dc246fb525add585aa5cec05816ffacf7f',201,'h1:ZJFnBrsDJLDFWmHSrMy+T74yzebvs+Rt+2uvVU1n+ik=
',1);
CREATE TABLE upstream_provider (
  id INTEGER PRIMARY KEY,
  provider_key TEXT NOT NULL UNIQUE,  -- "registry.example.com/acme/demo"
  host TEXT NOT NULL,
  namespace TEXT NOT NULL,
  type TEXT NOT NULL
);
INSERT INTO "upstream_provider" VALUES(1,'registry.example.com/acme/other','registry.example.com','acme','other');
CREATE TABLE upstream_release (
  id INTEGER PRIMARY KEY,
  provider_id BIGINT NOT NULL REFERENCES upstream_provider (id),
  version TEXT NOT NULL,              -- build metadata included
  protocols TEXT NOT NULL,               -- a list
  sums_digest TEXT,                      -- of the author's SHA256SUMS; NULL when there is none
  sums_size BIGINT,
  signature_digest TEXT,
  signature_size BIGINT,
  keys TEXT NOT NULL,                    -- JSON, as upstream gave it; "" without a signature
  fit_for_origin BIGINT NOT NULL,        -- 0 or 1
  seen_at BIGINT NOT NULL,
  UNIQUE (provider_id, version)
);
INSERT INTO "upstream_release" VALUES(1,1,'2.0.0','',NULL,NULL,NULL,NULL,'',0,1795343832);
CREATE INDEX module_by_name ON module (name_key, address_key);
CREATE INDEX module_version_by_digest ON module_version (digest) WHERE withdrawn_at IS NULL;
CREATE INDEX provider_release_by_sums ON provider_release (sums_digest)
  WHERE withdrawn_at IS NULL;
CREATE INDEX provider_release_by_signature ON provider_release (signature_digest)
  WHERE withdrawn_at IS NULL;
CREATE INDEX provider_package_by_digest ON provider_package (digest);
CREATE INDEX draft_by_namespace ON draft (namespace, type, version);
CREATE INDEX draft_by_expiry ON draft (expires_at);
CREATE INDEX draft_file_by_digest ON draft_file (digest);
CREATE INDEX upstream_release_by_sums ON upstream_release (sums_digest)
  WHERE sums_digest IS NOT NULL;
CREATE INDEX upstream_release_by_signature ON upstream_release (signature_digest)
  WHERE signature_digest IS NOT NULL;
CREATE INDEX upstream_package_by_digest ON upstream_package (digest) WHERE held = 1;
CREATE INDEX upstream_module_version_by_digest ON upstream_module_version (digest) WHERE held = 1;
CREATE INDEX held_blob_by_use ON held_blob (used_at, digest);
CREATE INDEX held_blob_by_size ON held_blob (size);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('change',8);
COMMIT;
