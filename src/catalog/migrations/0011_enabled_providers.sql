-- kind: expand, floor: 1
-- 1: users can sign in with the provider. Those from before the column stay enabled.
ALTER TABLE identity_provider ADD COLUMN enabled BIGINT NOT NULL DEFAULT 1;
