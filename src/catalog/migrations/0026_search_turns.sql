-- kind: expand, floor: 3
-- Entries from the last one on, all and of each kind: what PostgreSQL goes through in a search for
-- words that most of them have. SQLite steps through its index of words in that order.

{{index of search turns}}
