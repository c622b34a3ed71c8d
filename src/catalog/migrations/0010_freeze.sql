-- kind: expand, floor: 1
-- While the registry is frozen, its servers refuse changes: since when, by whom, and why. 0: it is not
-- frozen.
ALTER TABLE installation ADD COLUMN frozen_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE installation ADD COLUMN frozen_by TEXT NOT NULL DEFAULT '';
ALTER TABLE installation ADD COLUMN freeze_reason TEXT NOT NULL DEFAULT '';
