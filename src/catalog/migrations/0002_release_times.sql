-- kind: expand, floor: 1
-- When the versions of a list of another registry were released, as it was first known: lines of
-- version, space, seconds since 1970; -2: unknown; -1: unknown, and its details were asked for.
ALTER TABLE upstream_document_body ADD COLUMN release_times TEXT NOT NULL DEFAULT '';
