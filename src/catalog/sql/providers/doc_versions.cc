#include "catalog/sql/providers/doc_versions.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/upstream_row.h"
#include "domain/provider_address.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// A row for each version, or two where its schema has both names.
constexpr Statement kListDocVersions{
    "list_doc_versions",
    "SELECT r.version, i.docs_digest, d.part_begin, d.part_packed, d.part_size, d.part_deflated, "
    "i.schema_digest, s.name, s.part_begin, s.part_packed, s.part_size, s.part_deflated "
    "FROM provider p JOIN provider_release r ON r.provider_id = p.id "
    "JOIN release_inside i ON i.release_id = r.id "
    "LEFT JOIN release_doc d ON d.release_id = r.id AND d.language = :language "
    "AND d.kind = :kind AND d.name = :name "
    "LEFT JOIN release_schema s ON s.release_id = r.id AND s.kind = :item_kind "
    "AND s.name IN (:item, :item_instead) "
    "WHERE p.address = :address AND r.withdrawn_at IS NULL "
    "AND (i.docs_digest IS NOT NULL OR i.schema_digest IS NOT NULL)"};

// Of what may not be there: then `begin` is NULL.
struct PlaceColumns {
  std::optional<std::int64_t> begin, packed, size, deflated;

  void Bind(Query& query) { query.Into(begin).Into(packed).Into(size).Into(deflated); }
  std::optional<PackedPart> ToPlace() const {
    if (!begin) return std::nullopt;
    return PackedPart{.begin = static_cast<std::uint64_t>(*begin),
                      .packed = static_cast<std::uint64_t>(packed.value_or(0)),
                      .size = static_cast<std::uint64_t>(size.value_or(0)),
                      .deflated = deflated == 1};
  }
};

Result<std::optional<Digest>> ToArchiveDigest(const std::optional<std::string>& text) {
  if (!text) return std::optional<Digest>();
  ASSIGN_OR_RETURN(Digest digest, ToDigest(*text));
  return std::optional(digest);
}

struct DocVersionColumns {
  std::string version;
  std::optional<std::string> docs, schema, item_name;
  PlaceColumns page, item;

  void Bind(Query& query) {
    query.Into(version).Into(docs);
    page.Bind(query);
    query.Into(schema).Into(item_name);
    item.Bind(query);
  }
  Result<DocVersion> ToRecord() const {
    ASSIGN_OR_RETURN(Version parsed, ToVersion(version));
    ASSIGN_OR_RETURN(std::optional<Digest> of_docs, ToArchiveDigest(docs));
    ASSIGN_OR_RETURN(std::optional<Digest> of_schema, ToArchiveDigest(schema));
    return DocVersion{.version = std::move(parsed),
                      .docs = of_docs,
                      .page = page.ToPlace(),
                      .schema = of_schema,
                      .item = item.ToPlace(),
                      .item_name = item_name.value_or("")};
  }
};

Result<std::vector<DocVersion>> ListDocVersions(Session& session, const ProviderAddress& address,
                                                const DocQuery& wanted) {
  std::vector<DocVersion> versions;
  for (const std::string* text : {&wanted.page.language, &wanted.page.kind, &wanted.page.name,
                                  &wanted.item, &wanted.item_instead}) {
    if (!IsStorable(*text)) return versions;
  }
  std::map<std::string, DocVersion> found;
  DocVersionColumns columns;
  Query query(session, kListDocVersions);
  query.Use(wanted.page.language).Use(wanted.page.kind).Use(wanted.page.name);
  query.Use(wanted.item_kind).Use(wanted.item).Use(wanted.item_instead).Use(address.ToString());
  columns.Bind(query);
  while (query.Next()) {
    ASSIGN_OR_RETURN(DocVersion record, columns.ToRecord());
    auto known = found.find(columns.version);
    if (known == found.end()) {
      found.emplace(columns.version, std::move(record));
    } else if (record.item_name == wanted.item) {
      known->second = std::move(record);
    }
  }
  versions.reserve(found.size());
  for (auto& [version, record] : found) versions.push_back(std::move(record));
  return versions;
}

}  // namespace

Task<std::vector<DocVersion>> SqlDocVersions::ListDocVersions(ProviderAddress address,
                                                              DocQuery query) {
  return transactions_.Read(&sql::ListDocVersions, std::move(address), std::move(query));
}

}  // namespace koya::sql
