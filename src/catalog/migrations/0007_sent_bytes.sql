-- kind: expand, floor: 3
-- How many bytes of answers somebody was sent on a day, by all servers.
CREATE TABLE sent_bytes (
  day BIGINT NOT NULL,                  -- since 1970-01-01, in UTC
  sent_to {{key}} NOT NULL,             -- "token:NAME", "address:192.0.2.7", "address:2001:db8::/64"
  bytes BIGINT NOT NULL,
  PRIMARY KEY (day, sent_to)
);
