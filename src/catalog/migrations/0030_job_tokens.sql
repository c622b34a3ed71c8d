-- kind: expand, floor: 3
-- What a CI's job is trusted by goes with the token that it got, and the token with the trust. And a
-- job's own token is good for one of ours in a namespace, once. Servers that do not know this give
-- tokens that outlive their trust, for 15 minutes at most, and take a job's token again.

ALTER TABLE token ADD COLUMN trust_id {{key}} REFERENCES trust (id) ON DELETE CASCADE;  -- NULL: no job's
CREATE INDEX token_by_trust ON token (trust_id);

CREATE TABLE used_job_token (
  namespace_key {{key}} NOT NULL REFERENCES namespace (name_key) ON DELETE CASCADE,
  digest {{key}} NOT NULL,              -- SHA-256 in hex of its issuer and "jti", or of all of it
  expires_at BIGINT NOT NULL,           -- as the CI's token does
  PRIMARY KEY (namespace_key, digest)
);
CREATE INDEX used_job_token_by_end ON used_job_token (expires_at);
