-- kind: expand, floor: 3
-- All versions of modules and providers in the order in which they were published, so that a feed
-- begins with the last of them, however many there are and whatever was indexed last.

CREATE INDEX search_subject_all_by_time
  ON search_subject (kind, published_at DESC, subject_key, version);
