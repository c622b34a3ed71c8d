-- kind: expand, floor: 3
-- Docs and schemas of providers: an index into zips in the blob store. Servers that do not know
-- this would remove the zips: the floor is raised with the first of them (ADR 43, ADR 51).

CREATE TABLE release_inside (
  release_id BIGINT NOT NULL PRIMARY KEY REFERENCES provider_release (id),
  docs_digest TEXT,                     -- of the zip of docs; NULL: there is none
  docs_size BIGINT,
  docs_signed BIGINT,                   -- 1: it stands in SHA256SUMS
  schema_digest TEXT,                   -- of the zip that was made of the schema
  schema_size BIGINT,
  schema_signed BIGINT,                 -- 1: what it was made of stands there
  warnings TEXT NOT NULL                -- a list: file, line and text, in turn
);
CREATE INDEX release_inside_by_docs ON release_inside (docs_digest)
  WHERE docs_digest IS NOT NULL;
CREATE INDEX release_inside_by_schema ON release_inside (schema_digest)
  WHERE schema_digest IS NOT NULL;

-- A page.
CREATE TABLE release_doc (
  release_id BIGINT NOT NULL REFERENCES provider_release (id),
  language {{key}} NOT NULL,            -- of cdktf; "": configurations
  kind {{key}} NOT NULL,                -- "overview", "resources"
  name {{key}} NOT NULL,
  title TEXT NOT NULL,
  subcategory TEXT NOT NULL,
  description TEXT NOT NULL,
  deprecated BIGINT NOT NULL,
  part_begin BIGINT NOT NULL,           -- where its bytes lie in the zip
  part_packed BIGINT NOT NULL,
  part_size BIGINT NOT NULL,            -- unpacked
  part_deflated BIGINT NOT NULL,
  PRIMARY KEY (release_id, language, kind, name)
);

-- A resource, a data source, a function.
CREATE TABLE release_schema (
  release_id BIGINT NOT NULL REFERENCES provider_release (id),
  kind {{key}} NOT NULL,                -- "resource"
  name {{key}} NOT NULL,
  deprecated BIGINT NOT NULL,
  part_begin BIGINT NOT NULL,
  part_packed BIGINT NOT NULL,
  part_size BIGINT NOT NULL,
  part_deflated BIGINT NOT NULL,
  PRIMARY KEY (release_id, kind, name)
);
