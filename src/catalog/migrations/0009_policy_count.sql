-- kind: expand, floor: 1
-- How often each rule stopped something under a revision of the policy, in sums of all servers.
CREATE TABLE policy_count (
  revision BIGINT NOT NULL,             -- of policy_revision; 0: none was set
  rule {{key}} NOT NULL,                -- its name
  held BIGINT NOT NULL,
  refused BIGINT NOT NULL,
  PRIMARY KEY (revision, rule)
);
