#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/providers/provider_docs.h"
#include "domain/provider_address.h"
#include "domain/search_words.h"
#include "domain/use.h"
#include "domain/version.h"

namespace koya::sql {
namespace {

constexpr std::size_t kRowsTogether = 500;

constexpr Statement kAddInside{
    "add_release_inside",
    "INSERT INTO release_inside (release_id, docs_digest, docs_size, docs_signed, schema_digest, "
    "schema_size, schema_signed, warnings) VALUES (:release_id, NULLIF(:docs_digest, ''), "
    ":docs_size, :docs_signed, NULLIF(:schema_digest, ''), :schema_size, :schema_signed, "
    ":warnings)"};
constexpr Statement kAddDocs{
    "add_release_docs",
    "INSERT INTO release_doc (release_id, language, kind, name, title, subcategory, description, "
    "deprecated, part_begin, part_packed, part_size, part_deflated) "
    "SELECT r.id, c0, c1, c2, c3, c4, c5, CAST(c6 AS BIGINT), CAST(c7 AS BIGINT), "
    "CAST(c8 AS BIGINT), CAST(c9 AS BIGINT), CAST(c10 AS BIGINT) "
    "FROM {{rows of}} :rows {{end of rows}} CROSS JOIN provider_release r WHERE r.id = :id"};
constexpr Statement kAddSchema{
    "add_release_schema",
    "INSERT INTO release_schema (release_id, kind, name, deprecated, part_begin, part_packed, "
    "part_size, part_deflated) SELECT r.id, c0, c1, CAST(c2 AS BIGINT), CAST(c3 AS BIGINT), "
    "CAST(c4 AS BIGINT), CAST(c5 AS BIGINT), CAST(c6 AS BIGINT) "
    "FROM {{rows of}} :rows {{end of rows}} CROSS JOIN provider_release r WHERE r.id = :id"};

using Row = std::vector<std::string>;

std::string Flag(bool flag) { return flag ? "1" : "0"; }

void AddPart(const PackedPart& part, Row& row) {
  row.push_back(std::to_string(part.begin));
  row.push_back(std::to_string(part.packed));
  row.push_back(std::to_string(part.size));
  row.push_back(Flag(part.deflated));
}

Row RowOf(const DocRecord& doc) {
  constexpr std::size_t kTitle = ProviderDocsCatalog::kLongestTitle;
  Row row = {doc.name.language,
             doc.name.kind,
             doc.name.name,
             std::string(CutUtf8(doc.title, kTitle)),
             std::string(CutUtf8(doc.subcategory, kTitle)),
             std::string(CutUtf8(doc.description, ProviderDocsCatalog::kLongestDescription)),
             Flag(doc.deprecated)};
  AddPart(doc.part, row);
  return row;
}

Row RowOf(const SchemaRecord& item) {
  Row row = {item.kind, item.name, Flag(item.deprecated)};
  AddPart(item.part, row);
  return row;
}

// Some hundreds at a time: what one statement takes is bounded.
template <class Record>
void AddRows(Session& session, const Statement& statement, std::int64_t release_id,
             std::span<const Record> records) {
  while (!records.empty()) {
    const auto some = records.first(std::min(records.size(), kRowsTogether));
    std::vector<std::string> rows;
    rows.reserve(some.size());
    for (const Record& record : some) rows.push_back(JsonList(RowOf(record)));
    Query(session, statement).Use(JsonRows(rows)).Use(release_id).Run();
    records = records.subspan(some.size());
  }
}

std::string WarningList(const std::vector<ReadWarning>& warnings) {
  std::vector<std::string> list;
  for (const ReadWarning& warning : warnings) {
    list.insert(list.end(), {warning.file, std::to_string(warning.line), warning.text});
  }
  return JoinList(list);
}

void UseArchive(Query& query, const std::optional<DocArchive>& archive) {
  std::optional<std::int64_t> size, is_signed;
  if (archive) {
    size = static_cast<std::int64_t>(archive->size);
    is_signed = archive->is_signed ? 1 : 0;
  }
  query.Use(archive ? archive->digest.hex() : std::string()).Use(size).Use(is_signed);
}

template <class Given>
std::optional<DocArchive> ArchiveOf(const std::optional<Given>& given) {
  return given ? std::optional(given->archive) : std::nullopt;
}

}  // namespace

Status CheckDocs(const ReleaseExtras& extras) {
  if (extras.docs) {
    for (const DocRecord& doc : extras.docs->pages) {
      for (const std::string* text : {&doc.name.language, &doc.name.kind, &doc.name.name,
                                      &doc.title, &doc.subcategory, &doc.description}) {
        RETURN_IF_ERROR(CheckStorable("the docs' name", *text));
      }
    }
  }
  if (extras.schema) {
    for (const SchemaRecord& item : extras.schema->items) {
      RETURN_IF_ERROR(CheckStorable("a kind of the schema", item.kind));
      RETURN_IF_ERROR(CheckStorable("a name in the schema", item.name));
    }
  }
  return {};
}

void PutDocs(Session& session, std::int64_t release_id, const ReleaseExtras& extras) {
  if (!extras.docs && !extras.schema && extras.warnings.empty()) return;
  {
    Query query(session, kAddInside);
    query.Use(release_id);
    UseArchive(query, ArchiveOf(extras.docs));
    UseArchive(query, ArchiveOf(extras.schema));
    query.Use(WarningList(extras.warnings)).Run();
  }
  if (extras.docs) {
    AddRows(session, kAddDocs, release_id, std::span<const DocRecord>(extras.docs->pages));
  }
  if (extras.schema) {
    AddRows(session, kAddSchema, release_id, std::span<const SchemaRecord>(extras.schema->items));
  }
}

}  // namespace koya::sql
