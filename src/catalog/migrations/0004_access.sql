-- kind: expand, floor: 3

ALTER TABLE token ADD COLUMN created_by TEXT;  -- the name of whoever asked; NULL: not noted then
ALTER TABLE change ADD COLUMN mark TEXT;       -- random; NULL: by a program that makes none

-- Work that one server at a time should do. Times are the database's own.
CREATE TABLE lease (
  name {{key}} NOT NULL PRIMARY KEY,
  holder TEXT NOT NULL,                 -- a process, by a random name
  address TEXT NOT NULL,                -- where that is, for people
  until BIGINT NOT NULL                 -- free after this second, unless the holder prolongs it
);
