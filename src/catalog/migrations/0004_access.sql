-- kind: expand, floor: 3

ALTER TABLE token ADD COLUMN created_by TEXT;  -- the name of whoever asked; NULL: not noted then
ALTER TABLE change ADD COLUMN mark TEXT;       -- random; NULL: by a program that makes none
