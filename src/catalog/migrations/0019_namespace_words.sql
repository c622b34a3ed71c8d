-- kind: expand, floor: 3
-- What owners say of a namespace. Servers that do not know this show its name alone.

ALTER TABLE namespace ADD COLUMN title TEXT;        -- a line; NULL: none
ALTER TABLE namespace ADD COLUMN description TEXT;  -- some lines; NULL: none
