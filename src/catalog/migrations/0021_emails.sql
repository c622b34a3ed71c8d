-- kind: expand, floor: 3
-- Which address a sign-in provider says that somebody has. Servers that do not know this show none,
-- and leave those that are there as they are.

ALTER TABLE external_identity ADD COLUMN email TEXT;  -- NULL: it says none, or not that it is theirs
