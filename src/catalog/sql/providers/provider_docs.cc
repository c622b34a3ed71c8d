#include "catalog/sql/providers/provider_docs.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/cell.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/providers/provider_catalog.h"
#include "domain/provider_address.h"
#include "domain/use.h"
#include "domain/version.h"

namespace koya::sql {
namespace {

// For an existing release; tables that are joined to it may have no row.
#define KOYA_FROM_RELEASE \
  " FROM provider p JOIN provider_release r ON r.provider_id = p.id LEFT JOIN "
#define KOYA_OF_RELEASE \
  " WHERE p.address = :address AND r.version = :version AND r.withdrawn_at IS NULL"

constexpr Statement kFindInside{
    "find_release_inside",
    "SELECT i.docs_digest, i.docs_size, i.docs_signed, i.schema_digest, i.schema_size, "
    "i.schema_signed, i.warnings" KOYA_FROM_RELEASE
    "release_inside i ON i.release_id = r.id" KOYA_OF_RELEASE};
constexpr Statement kCountInside{
    "count_release_inside",
    "SELECT of_schema, language, kind, COUNT(*) FROM ("
    "SELECT r.id AS id, 0 AS of_schema, d.language AS language, d.kind AS kind FROM provider p "
    "JOIN provider_release r ON r.provider_id = p.id JOIN release_doc d ON d.release_id = r.id "
    "WHERE p.address = :address AND r.version = :version UNION ALL "
    "SELECT r.id, 1, '', s.kind FROM provider p "
    "JOIN provider_release r ON r.provider_id = p.id JOIN release_schema s ON s.release_id = r.id "
    "WHERE p.address = :address_again AND r.version = :version_again) inside "
    "GROUP BY of_schema, language, kind ORDER BY of_schema, language, kind"};
constexpr Statement kListDocs{
    "list_release_docs",
    "SELECT d.language, d.kind, d.name, d.title, d.subcategory, d.description, "
    "d.deprecated, d.part_begin, d.part_packed, d.part_size, d.part_deflated" KOYA_FROM_RELEASE
    "release_doc d ON d.release_id = r.id" KOYA_OF_RELEASE " ORDER BY d.language, d.kind, d.name"};
constexpr Statement kListDocNames{"list_release_doc_names",
                                  "SELECT d.language, d.kind, d.name" KOYA_FROM_RELEASE
                                  "release_doc d ON d.release_id = r.id" KOYA_OF_RELEASE
                                  " ORDER BY d.language, d.kind, d.name"};
constexpr Statement kListSchema{
    "list_release_schema",
    "SELECT s.kind, s.name, s.deprecated, s.part_begin, s.part_packed, s.part_size, "
    "s.part_deflated" KOYA_FROM_RELEASE "release_schema s ON s.release_id = r.id" KOYA_OF_RELEASE
    " ORDER BY s.kind, s.name"};
constexpr Statement kFindDoc{
    "find_release_doc",
    "SELECT d.language, d.kind, d.name, d.title, d.subcategory, d.description, "
    "d.deprecated, d.part_begin, d.part_packed, d.part_size, d.part_deflated"
    " FROM provider p JOIN provider_release r ON r.provider_id = p.id "
    "JOIN release_doc d ON d.release_id = r.id" KOYA_OF_RELEASE
    " AND d.language = :language AND d.kind = :kind AND d.name = :name"};
constexpr Statement kFindSchema{
    "find_release_schema",
    "SELECT s.kind, s.name, s.deprecated, s.part_begin, s.part_packed, s.part_size, "
    "s.part_deflated FROM provider p JOIN provider_release r ON r.provider_id = p.id "
    "JOIN release_schema s ON s.release_id = r.id" KOYA_OF_RELEASE
    " AND s.kind = :kind AND s.name = :name"};

// Columns of what may not be there: then the first is NULL.
struct PartColumns {
  std::optional<std::int64_t> deprecated, begin, packed, size, deflated;

  void Bind(Query& query) {
    query.Into(deprecated).Into(begin).Into(packed).Into(size).Into(deflated);
  }
  PackedPart ToPart() const {
    return {.begin = static_cast<std::uint64_t>(begin.value_or(0)),
            .packed = static_cast<std::uint64_t>(packed.value_or(0)),
            .size = static_cast<std::uint64_t>(size.value_or(0)),
            .deflated = deflated == 1};
  }
};

struct DocColumns {
  std::optional<std::string> language, kind, name, title, subcategory, description;
  PartColumns part;

  void Bind(Query& query) {
    query.Into(language).Into(kind).Into(name).Into(title).Into(subcategory).Into(description);
    part.Bind(query);
  }
  std::optional<DocRecord> ToRecord() const {
    if (!name) return std::nullopt;
    return DocRecord{.name = {language.value_or(""), kind.value_or(""), *name},
                     .title = title.value_or(""),
                     .subcategory = subcategory.value_or(""),
                     .description = description.value_or(""),
                     .deprecated = part.deprecated == 1,
                     .part = part.ToPart()};
  }
};

struct DocNameColumns {
  std::optional<std::string> language, kind, name;

  void Bind(Query& query) { query.Into(language).Into(kind).Into(name); }
  std::optional<DocName> ToRecord() const {
    if (!name) return std::nullopt;
    return DocName{language.value_or(""), kind.value_or(""), *name};
  }
};

struct SchemaColumns {
  std::optional<std::string> kind, name;
  PartColumns part;

  void Bind(Query& query) {
    query.Into(kind).Into(name);
    part.Bind(query);
  }
  std::optional<SchemaRecord> ToRecord() const {
    if (!name) return std::nullopt;
    return SchemaRecord{.kind = kind.value_or(""),
                        .name = *name,
                        .deprecated = part.deprecated == 1,
                        .part = part.ToPart()};
  }
};

// All that is joined to the release; no row at all: there is no release.
template <class Columns, class Record>
Result<std::vector<Record>> ListJoined(Session& session, const Statement& statement,
                                       const ProviderAddress& address, const Version& version) {
  std::vector<Record> records;
  bool there = false;
  Columns columns;
  Query query(session, statement);
  query.Use(address.ToString()).Use(version.ToString());
  columns.Bind(query);
  while (query.Next()) {
    there = true;
    if (std::optional<Record> record = columns.ToRecord()) records.push_back(*std::move(record));
  }
  if (!there) return AbsenceOf(session, address, version);
  return records;
}

struct InsideColumns {
  std::optional<std::string> docs_digest, schema_digest, warnings;
  std::optional<std::int64_t> docs_size, docs_signed, schema_size, schema_signed;
};

Result<std::optional<DocArchive>> ToArchive(const std::optional<std::string>& digest,
                                            const std::optional<std::int64_t>& size,
                                            const std::optional<std::int64_t>& is_signed) {
  if (!digest) return std::optional<DocArchive>();
  ASSIGN_OR_RETURN(Digest parsed, Stored(Digest::Parse(*digest)));
  return std::optional(DocArchive{.digest = parsed,
                                  .size = static_cast<std::uint64_t>(size.value_or(0)),
                                  .is_signed = is_signed == 1});
}

Result<std::vector<ReadWarning>> ToWarnings(const std::string& text) {
  ASSIGN_OR_RETURN(std::vector<std::string> list, SplitList(text));
  std::vector<ReadWarning> warnings;
  for (std::size_t i = 0; i + 2 < list.size(); i += 3) {
    std::uint64_t line = 0;
    for (char digit : list[i + 1]) line = line * 10 + static_cast<std::uint64_t>(digit - '0');
    warnings.push_back({std::move(list[i]), line, std::move(list[i + 2])});
  }
  return warnings;
}

Result<DocsSummary> FindInside(Session& session, const ProviderAddress& address,
                               const Version& version) {
  InsideColumns row;
  Query query(session, kFindInside);
  query.Use(address.ToString()).Use(version.ToString());
  query.Into(row.docs_digest).Into(row.docs_size).Into(row.docs_signed);
  query.Into(row.schema_digest).Into(row.schema_size).Into(row.schema_signed).Into(row.warnings);
  if (!query.Next()) return AbsenceOf(session, address, version);
  DocsSummary summary;
  ASSIGN_OR_RETURN(summary.docs, ToArchive(row.docs_digest, row.docs_size, row.docs_signed));
  ASSIGN_OR_RETURN(summary.schema,
                   ToArchive(row.schema_digest, row.schema_size, row.schema_signed));
  ASSIGN_OR_RETURN(summary.warnings, ToWarnings(row.warnings.value_or("")));
  return summary;
}

Result<DocsSummary> FindDocs(Session& session, const ProviderAddress& address,
                             const Version& version) {
  ASSIGN_OR_RETURN(DocsSummary summary, FindInside(session, address, version));
  std::int64_t of_schema = 0, count = 0;
  std::string language, kind;
  Query query(session, kCountInside);
  query.Use(address.ToString()).Use(version.ToString());
  query.Use(address.ToString()).Use(version.ToString());
  query.Into(of_schema).Into(language).Into(kind).Into(count);
  while (query.Next()) {
    if (of_schema == 1) {
      summary.items[kind] = static_cast<std::uint64_t>(count);
    } else if (language.empty()) {
      summary.pages[kind] = static_cast<std::uint64_t>(count);
    } else if (summary.languages.empty() || summary.languages.back() != language) {
      summary.languages.push_back(language);
    }
  }
  return summary;
}

Failure NoPage(const ProviderAddress& address, const Version& version, const DocName& name) {
  return FailNotFound(
      "{} {} has no page {}/{}{}: list its docs to see its pages", address.ToString(),
      version.ToString(), Printable(name.kind, 40), Printable(name.name, 200),
      name.language.empty() ? std::string() : " in the language " + Printable(name.language, 40));
}

Result<DocRecord> FindDoc(Session& session, const ProviderAddress& address, const Version& version,
                          const DocName& name) {
  if (!IsStorable(name.language) || !IsStorable(name.kind) || !IsStorable(name.name)) {
    return NoPage(address, version, name);
  }
  DocColumns columns;
  Query query(session, kFindDoc);
  query.Use(address.ToString()).Use(version.ToString());
  query.Use(name.language).Use(name.kind).Use(name.name);
  columns.Bind(query);
  std::optional<DocRecord> record;
  if (query.Next()) record = columns.ToRecord();
  if (record) return *std::move(record);
  Result<DocsSummary> release = FindInside(session, address, version);
  if (!release) return Failure(std::move(release).error());
  return NoPage(address, version, name);
}

Result<SchemaRecord> FindSchema(Session& session, const ProviderAddress& address,
                                const Version& version, const std::string& kind,
                                const std::string& name) {
  std::optional<SchemaRecord> record;
  if (IsStorable(kind) && IsStorable(name)) {
    SchemaColumns columns;
    Query query(session, kFindSchema);
    query.Use(address.ToString()).Use(version.ToString()).Use(kind).Use(name);
    columns.Bind(query);
    if (query.Next()) record = columns.ToRecord();
  }
  if (record) return *std::move(record);
  Result<DocsSummary> release = FindInside(session, address, version);
  if (!release) return Failure(std::move(release).error());
  return FailNotFound("the schema of {} {} has no {} \"{}\"", address.ToString(),
                      version.ToString(), Printable(kind, 40), Printable(name, 200));
}

Result<std::vector<DocRecord>> ListDocs(Session& session, const ProviderAddress& of,
                                        const Version& at) {
  return ListJoined<DocColumns, DocRecord>(session, kListDocs, of, at);
}

Result<std::vector<DocName>> ListDocNames(Session& session, const ProviderAddress& of,
                                          const Version& at) {
  return ListJoined<DocNameColumns, DocName>(session, kListDocNames, of, at);
}

Result<std::vector<SchemaRecord>> ListSchema(Session& session, const ProviderAddress& of,
                                             const Version& at) {
  return ListJoined<SchemaColumns, SchemaRecord>(session, kListSchema, of, at);
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<DocsSummary> ProviderDocsCatalog::FindDocs(ProviderAddress address, Version version) {
  return transactions_.Read(&sql::FindDocs, std::move(address), std::move(version));
}

Task<std::vector<DocRecord>> ProviderDocsCatalog::ListDocs(ProviderAddress address,
                                                           Version version) {
  return transactions_.Read(&sql::ListDocs, std::move(address), std::move(version));
}

Task<std::vector<DocName>> ProviderDocsCatalog::ListDocNames(ProviderAddress address,
                                                             Version version) {
  return transactions_.Read(&sql::ListDocNames, std::move(address), std::move(version));
}

Task<std::vector<SchemaRecord>> ProviderDocsCatalog::ListSchema(ProviderAddress address,
                                                                Version version) {
  return transactions_.Read(&sql::ListSchema, std::move(address), std::move(version));
}

Task<DocRecord> ProviderDocsCatalog::FindDoc(ProviderAddress address, Version version,
                                             DocName name) {
  return transactions_.Read(&sql::FindDoc, std::move(address), std::move(version), std::move(name));
}

Task<SchemaRecord> ProviderDocsCatalog::FindSchema(ProviderAddress address, Version version,
                                                   std::string kind, std::string name) {
  return transactions_.Read(&sql::FindSchema, std::move(address), std::move(version),
                            std::move(kind), std::move(name));
}

}  // namespace koya
