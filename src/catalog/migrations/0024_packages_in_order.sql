-- kind: expand, floor: 3
-- Modules and providers in the orders that lists of them have, so that a list begins with what comes
-- first, however many there are and whatever was indexed last. Only newest versions are listed.

CREATE INDEX search_subject_by_time ON search_subject (kind, published_at DESC, subject_key)
  WHERE newest = 1;
CREATE INDEX search_subject_by_merit
  ON search_subject (kind, deprecated, published_at DESC, subject_key) WHERE newest = 1;
CREATE INDEX search_subject_by_key ON search_subject (kind, subject_key) WHERE newest = 1;

-- The entry of each that stands for all of it.
CREATE INDEX search_entry_of_package ON search_entry (subject_id)
  WHERE kind IN ('module', 'provider');
