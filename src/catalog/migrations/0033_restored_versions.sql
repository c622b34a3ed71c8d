-- kind: expand, floor: 3
-- Which version takes the place of one that was withdrawn ('': none was named), and until when its
-- bytes stay, so that the withdrawal can be undone. 0: withdrawn by a server that does not know
-- this, whose bytes may have gone.

ALTER TABLE module_version ADD COLUMN withdrawn_successor TEXT NOT NULL DEFAULT '';
ALTER TABLE module_version ADD COLUMN withdrawn_kept_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE provider_release ADD COLUMN withdrawn_successor TEXT NOT NULL DEFAULT '';
ALTER TABLE provider_release ADD COLUMN withdrawn_kept_until BIGINT NOT NULL DEFAULT 0;
