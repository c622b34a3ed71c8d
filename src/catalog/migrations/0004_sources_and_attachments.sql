-- kind: expand, floor: 1
-- The repository that a version was made from, and the folder in it: "https://HOST/PATH//FOLDER"
-- (domain/source_repository.h). "": not known. Versions from before have it in provenance.
ALTER TABLE module_version ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE provider_release ADD COLUMN source TEXT NOT NULL DEFAULT '';
-- Of another registry's provider or module, as its details of a version stated it.
ALTER TABLE upstream_document_body ADD COLUMN source TEXT NOT NULL DEFAULT '';
-- JSON: the list "attachments" of the package's download document; "": none.
ALTER TABLE upstream_package ADD COLUMN attachments TEXT NOT NULL DEFAULT '';
