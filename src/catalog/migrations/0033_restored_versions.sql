-- kind: expand, floor: 3
-- Which version takes the place of one that was withdrawn ('': none was named), and until when its
-- bytes stay, so that the withdrawal can be undone. 0: withdrawn by a server that does not know
-- this, whose bytes may have gone.

ALTER TABLE module_version ADD COLUMN withdrawn_successor TEXT NOT NULL DEFAULT '';
ALTER TABLE module_version ADD COLUMN withdrawn_kept_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE provider_release ADD COLUMN withdrawn_successor TEXT NOT NULL DEFAULT '';
ALTER TABLE provider_release ADD COLUMN withdrawn_kept_until BIGINT NOT NULL DEFAULT 0;

CREATE INDEX module_version_kept ON module_version (digest) WHERE withdrawn_kept_until > 0;
CREATE INDEX provider_release_kept_by_sums ON provider_release (sums_digest)
  WHERE withdrawn_kept_until > 0;
CREATE INDEX provider_release_kept_by_signature ON provider_release (signature_digest)
  WHERE withdrawn_kept_until > 0;
