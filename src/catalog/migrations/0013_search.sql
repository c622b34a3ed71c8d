-- kind: expand, floor: 3
-- What may be found: domain/search_document.h says what the words are. Kept in step by whoever
-- publishes, withdraws or deprecates, in the same transaction.

-- Versions that entries are of. A program that does not know the table leaves its versions out, and
-- `koya reindex` finds them.
CREATE TABLE search_subject (
  id {{sequence}},
  subject_key {{key}} NOT NULL,         -- "module:acme/vpc/aws"
  kind TEXT NOT NULL,                   -- "module" or "provider"
  address TEXT NOT NULL,                -- as it is shown
  version {{key}} NOT NULL,
  namespace_key {{key}} NOT NULL,
  published_at BIGINT NOT NULL,
  newest BIGINT NOT NULL,               -- 1: of those of its subject, what is shown
  deprecated BIGINT NOT NULL,           -- 1: it is
  recorded BIGINT,                      -- as of the table module
  UNIQUE (subject_key, version)
);
CREATE INDEX search_subject_unrecorded ON search_subject (namespace_key) WHERE recorded IS NULL;

CREATE TABLE search_entry (
  id {{sequence}},
  subject_id BIGINT NOT NULL REFERENCES search_subject (id),
  namespace_key {{key}} NOT NULL,       -- these four as the subject has them
  published_at BIGINT NOT NULL,
  newest BIGINT NOT NULL,
  deprecated BIGINT NOT NULL,
  kind {{key}} NOT NULL,                -- "input"
  kind_order BIGINT NOT NULL,
  name TEXT NOT NULL,
  name_key {{key}} NOT NULL,            -- folded
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  head TEXT NOT NULL,                   -- the words of its name and title
  words TEXT NOT NULL{{words as vector}}
);
CREATE INDEX search_entry_by_subject ON search_entry (subject_id);
{{index of words}}

-- Words of names and titles by what is left of them without one letter: what a misspelt word may
-- have meant. What is gone from the entries stays until everything is indexed anew.
CREATE TABLE search_spelling (
  piece {{key}} NOT NULL,
  word {{key}} NOT NULL,
  PRIMARY KEY (piece, word)
);
