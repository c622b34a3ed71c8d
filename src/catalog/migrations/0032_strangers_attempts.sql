-- kind: expand, floor: 3
-- Denied attempts without a token or session are not chained, so that they can go before other
-- entries. Servers that do not know this chain them: those stay until all of their age go.

CREATE INDEX audit_to_link ON audit (id)
  WHERE sequence IS NULL AND NOT (kind = 'denied' AND actor = '');
CREATE INDEX audit_of_strangers ON audit (at)
  WHERE sequence IS NULL AND kind = 'denied' AND actor = '';
