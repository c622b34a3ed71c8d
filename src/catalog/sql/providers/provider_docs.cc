#include "catalog/sql/providers/provider_docs.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/providers/provider_catalog.h"
#include "domain/provider_address.h"
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
