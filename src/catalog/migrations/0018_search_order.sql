-- kind: expand, floor: 3
-- What a search looks at of each entry, side by side: a thousand of them need not be looked up one by
-- one between their texts. PostgreSQL goes to the rows whatever an index has, and keeps none.

{{index of search order}}
