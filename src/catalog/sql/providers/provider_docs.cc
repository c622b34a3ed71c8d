#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/providers/provider_catalog.h"
#include "domain/provider_address.h"
#include "domain/search_words.h"
#include "domain/use.h"
#include "domain/version.h"

namespace koya::sql {
namespace {

constexpr char kOfRelease[] =
    " WHERE p.address = :address AND r.version = :version AND r.withdrawn_at IS NULL";

constexpr auto kFindInside = Sql(
    "find_release_inside",
    "SELECT i.docs_digest, i.docs_size, i.docs_signed, i.schema_digest, i.schema_size, "
    "i.schema_signed, i.warnings FROM provider p JOIN provider_release r ON r.provider_id = p.id "
    "LEFT JOIN release_inside i ON i.release_id = r.id",
    kOfRelease);
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
constexpr auto kNameColumns =
    Columns(ReadColumn<&DocName::language>("d.language"), ReadColumn<&DocName::kind>("d.kind"),
            ReadColumn<&DocName::name>("d.name"));
using NameCell = MembersCell<DocName, &DocName::language, &DocName::kind, &DocName::name>;
using PartCell = MembersCell<PackedPart, &PackedPart::begin, &PackedPart::packed, &PackedPart::size,
                             &PackedPart::deflated>;
constexpr auto kDocColumns = Columns(
    ReadColumn<&DocRecord::name, NameCell>("d.language", "d.kind", "d.name"),
    ReadColumn<&DocRecord::title>("d.title"), ReadColumn<&DocRecord::subcategory>("d.subcategory"),
    ReadColumn<&DocRecord::description>("d.description"),
    ReadColumn<&DocRecord::deprecated>("d.deprecated"),
    ReadColumn<&DocRecord::part, PartCell>("d.part_begin", "d.part_packed", "d.part_size",
                                           "d.part_deflated"));
constexpr auto kSchemaColumns =
    Columns(ReadColumn<&SchemaRecord::kind>("s.kind"), ReadColumn<&SchemaRecord::name>("s.name"),
            ReadColumn<&SchemaRecord::deprecated>("s.deprecated"),
            ReadColumn<&SchemaRecord::part, PartCell>("s.part_begin", "s.part_packed",
                                                      "s.part_size", "s.part_deflated"));
constexpr auto kFromDocs = Join(
    " FROM provider p JOIN provider_release r ON r.provider_id = p.id "
    "JOIN release_doc d ON d.release_id = r.id",
    kOfRelease);
constexpr auto kReadSchema =
    Join("SELECT ", kSelect<kSchemaColumns>,
         " FROM provider p JOIN provider_release r ON r.provider_id = p.id "
         "JOIN release_schema s ON s.release_id = r.id",
         kOfRelease);
constexpr auto kListDocs = Sql("list_release_docs", "SELECT ", kSelect<kDocColumns>, kFromDocs,
                               " ORDER BY d.language, d.kind, d.name");
constexpr auto kListDocNames = Sql("list_release_doc_names", "SELECT ", kSelect<kNameColumns>,
                                   kFromDocs, " ORDER BY d.language, d.kind, d.name");
constexpr auto kListSchema = Sql("list_release_schema", kReadSchema, " ORDER BY s.kind, s.name");
constexpr auto kFindDoc = Sql("find_release_doc", "SELECT ", kSelect<kDocColumns>, kFromDocs,
                              " AND d.language = :language AND d.kind = :kind AND d.name = :name");
constexpr auto kFindSchema =
    Sql("find_release_schema", kReadSchema, " AND s.kind = :kind AND s.name = :name");

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

// All that the release has. Fails: kNotFound when there is no release.
template <class Record, std::size_t size>
Result<std::vector<Record>> ListOf(Session& session, const Statement& statement,
                                   const ColumnList<Record, size>& columns,
                                   const ProviderAddress& address, const Version& version) {
  Query query(session, statement);
  query.Use(address.ToString()).Use(version.ToString());
  ASSIGN_OR_RETURN(std::vector<Record> records, ReadRecords(query, columns));
  if (records.empty()) RETURN_IF_ERROR(FindInside(session, address, version));
  return records;
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
  Query query(session, kFindDoc);
  query.Use(address.ToString()).Use(version.ToString());
  query.Use(name.language).Use(name.kind).Use(name.name);
  RecordReader reader(query, kDocColumns);
  if (query.Next()) return reader.Read();
  RETURN_IF_ERROR(FindInside(session, address, version));
  return NoPage(address, version, name);
}

Result<SchemaRecord> FindSchema(Session& session, const ProviderAddress& address,
                                const Version& version, const std::string& kind,
                                const std::string& name) {
  if (IsStorable(kind) && IsStorable(name)) {
    Query query(session, kFindSchema);
    query.Use(address.ToString()).Use(version.ToString()).Use(kind).Use(name);
    RecordReader reader(query, kSchemaColumns);
    if (query.Next()) return reader.Read();
  }
  RETURN_IF_ERROR(FindInside(session, address, version));
  return FailNotFound("the schema of {} {} has no {} \"{}\"", address.ToString(),
                      version.ToString(), Printable(kind, 40), Printable(name, 200));
}

Result<std::vector<DocRecord>> ListDocs(Session& session, const ProviderAddress& of,
                                        const Version& at) {
  return ListOf(session, kListDocs, kDocColumns, of, at);
}

Result<std::vector<DocName>> ListDocNames(Session& session, const ProviderAddress& of,
                                          const Version& at) {
  return ListOf(session, kListDocNames, kNameColumns, of, at);
}

Result<std::vector<SchemaRecord>> ListSchema(Session& session, const ProviderAddress& of,
                                             const Version& at) {
  return ListOf(session, kListSchema, kSchemaColumns, of, at);
}

}  // namespace

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
