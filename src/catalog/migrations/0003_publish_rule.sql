-- kind: expand, floor: 1
-- Who may add versions to a namespace: "any", "ci-only" (jobs of a CI that it trusts).
ALTER TABLE namespace ADD COLUMN publish TEXT NOT NULL DEFAULT 'any';
