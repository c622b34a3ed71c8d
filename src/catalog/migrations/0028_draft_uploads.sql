-- kind: expand, floor: 3
-- What the publisher of a draft calls the files that go into it, so that an upload that was cut off
-- goes on in its own draft and in no other. Servers that do not know this open drafts without.

ALTER TABLE draft ADD COLUMN upload TEXT NOT NULL DEFAULT '';
