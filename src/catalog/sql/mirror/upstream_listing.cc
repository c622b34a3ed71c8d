#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/mirror/holdings.h"
#include "catalog/sql/mirror/upstream_row.h"
#include "catalog/upstream_catalog.h"
#include "domain/upstream_record.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kListHeldVersions{
    "list_upstream_versions",
    "SELECT r.version FROM upstream_release r JOIN upstream_provider p ON p.id = r.provider_id "
    "WHERE p.provider_key = :provider_key"};
// The page is cut by releases, then joined with their packages. Its first condition is the one that
// an index answers.
#define KOYA_RELEASE_PAGE(condition)                                                             \
  " FROM (SELECT r.id FROM upstream_provider p JOIN upstream_release r ON r.provider_id = p.id " \
  "WHERE p.provider_key >= :from_provider AND (p.provider_key > :after_provider OR "             \
  "r.version > :after_version)" condition                                                        \
  " ORDER BY p.provider_key, r.version LIMIT :limit) page "                                      \
  "JOIN upstream_release r ON r.id = page.id "                                                   \
  "JOIN upstream_provider p ON p.id = r.provider_id "                                            \
  "JOIN upstream_package k ON k.release_id = r.id "                                              \
  "LEFT JOIN held_blob h ON h.digest = k.digest AND k.held = 1 "                                 \
  "ORDER BY p.provider_key, r.version, k.os, k.arch"
constexpr auto kListUpstreamReleases =
    Sql("list_upstream_releases", kSelectUpstreamReleases, KOYA_RELEASE_PAGE(""));
constexpr auto kListUnknownSigners =
    Sql("list_unknown_signers", kSelectUpstreamReleases,
        KOYA_RELEASE_PAGE(" AND r.signer = '' AND " KOYA_IS_SIGNED));
constexpr auto kListUpstreamModules =
    Sql("list_upstream_modules", "SELECT ", kSelect<kUpstreamModuleColumns>,
        " FROM upstream_module m JOIN upstream_module_version v ON v.module_id = m.id "
        "LEFT JOIN held_blob h ON h.digest = v.digest AND v.held = 1 "
        "WHERE m.module_key >= :from_module AND (m.module_key > :after_module OR "
        "v.version > :after_version) ORDER BY m.module_key, v.version LIMIT :limit");

Result<std::vector<Version>> ListUpstreamVersions(Session& session,
                                                  const UpstreamProvider& provider) {
  Query query(session, kListHeldVersions);
  query.Use(provider.Key());
  return ReadUpstreamVersions(query);
}

using ReleaseKey = std::pair<UpstreamProvider, Version>;

Result<std::vector<UpstreamRelease>> ReadPage(Session& session, const Statement& statement,
                                              const std::optional<ReleaseKey>& after,
                                              std::uint64_t limit) {
  // Every key follows "", so that everything follows the item that is none.
  const std::string key = after ? after->first.Key() : "";
  const std::string version = after ? after->second.ToString() : "";
  Query query(session, statement);
  query.Use(key).Use(key).Use(version);
  query.Use(static_cast<std::int64_t>(std::min(limit, kMostListed)));
  return ReadUpstreamReleases(query);
}

Result<std::vector<UpstreamRelease>> ListUpstreamReleases(Session& session,
                                                          const std::optional<ReleaseKey>& after,
                                                          std::uint64_t limit) {
  return ReadPage(session, kListUpstreamReleases, after, limit);
}

Result<std::vector<UpstreamRelease>> ListUnknownSigners(Session& session,
                                                        const std::optional<ReleaseKey>& after,
                                                        std::uint64_t limit) {
  return ReadPage(session, kListUnknownSigners, after, limit);
}

Result<std::vector<UpstreamModuleVersion>> ListUpstreamModuleArchives(
    Session& session, const std::optional<std::pair<UpstreamModule, Version>>& after,
    std::uint64_t limit) {
  const std::string key = after ? after->first.Key() : "";
  const std::string version = after ? after->second.ToString() : "";
  Query query(session, kListUpstreamModules);
  query.Use(key).Use(key).Use(version);
  query.Use(static_cast<std::int64_t>(std::min(limit, kMostListed)));
  return ReadRecords(query, kUpstreamModuleColumns);
}

}  // namespace

namespace {

// A page is cut before anything is counted: the conditions and the order of the page stand between
// the two texts of a kind.
struct SummaryTexts {
  std::string_view name;
  std::string_view begin;
  std::string_view end;
};

constexpr SummaryTexts kMirroredProviders{
    "list_mirrored_providers",
    "SELECT page.host, page.namespace || '/' || page.type, page.checked_at, "
    "(SELECT COUNT(*) FROM upstream_release r WHERE r.provider_id = page.id), "
    "(SELECT COUNT(*) FROM upstream_release r JOIN upstream_package k ON k.release_id = r.id "
    "WHERE r.provider_id = page.id AND k.held = 1), "
    "(SELECT CAST(COALESCE(SUM(k.size), 0) AS BIGINT) FROM upstream_release r "
    "JOIN upstream_package k ON k.release_id = r.id "
    "WHERE r.provider_id = page.id AND k.held = 1), "
    "(SELECT r.version FROM upstream_release r WHERE r.provider_id = page.id "
    "ORDER BY r.seen_at DESC, r.id DESC LIMIT 1), "
    "(SELECT MAX(r.seen_at) FROM upstream_release r WHERE r.provider_id = page.id) "
    "FROM (SELECT p.id, p.host, p.namespace, p.type, p.provider_key AS thing_key, "
    "COALESCE(d.checked_at, 0) AS checked_at FROM upstream_provider p "
    "LEFT JOIN upstream_document d "
    "ON d.document_key = 'provider-versions:' || p.provider_key WHERE 1 = 1",
    ") page ORDER BY page.thing_key"};
constexpr SummaryTexts kMirroredModules{
    "list_mirrored_modules",
    "SELECT page.host, page.namespace || '/' || page.name || '/' || page.system, page.checked_at, "
    "(SELECT COUNT(*) FROM upstream_module_version v WHERE v.module_id = page.id), "
    "(SELECT COUNT(*) FROM upstream_module_version v WHERE v.module_id = page.id AND v.held = 1), "
    "(SELECT CAST(COALESCE(SUM(v.size), 0) AS BIGINT) FROM upstream_module_version v "
    "WHERE v.module_id = page.id AND v.held = 1), "
    "(SELECT v.version FROM upstream_module_version v WHERE v.module_id = page.id "
    "ORDER BY v.seen_at DESC, v.id DESC LIMIT 1), "
    "(SELECT MAX(v.seen_at) FROM upstream_module_version v WHERE v.module_id = page.id) "
    "FROM (SELECT p.id, p.host, p.namespace, p.name, p.system, p.module_key AS thing_key, "
    "COALESCE(d.checked_at, 0) AS checked_at FROM upstream_module p "
    "LEFT JOIN upstream_document d "
    "ON d.document_key = 'module-versions:' || p.module_key WHERE 1 = 1",
    ") page ORDER BY page.thing_key"};

constexpr std::string_view kCheckedSince = " AND COALESCE(d.checked_at, 0) >= :since";
constexpr std::string_view kCheckedBefore = " AND COALESCE(d.checked_at, 0) < :before";
constexpr std::string_view kSummaryPage = " ORDER BY thing_key LIMIT :limit OFFSET :offset";

constexpr Statement kCountMirrored{"count_mirrored",
                                   "SELECT (SELECT COUNT(*) FROM upstream_provider), "
                                   "(SELECT COUNT(*) FROM upstream_module)"};

constexpr auto kUpstreamSummaryColumns = Columns<UpstreamSummary>(
    [] { return UpstreamSummary{.host = Blank()}; }, ReadColumn<&UpstreamSummary::host>("host"),
    ReadColumn<&UpstreamSummary::address>("address"),
    ReadColumn<&UpstreamSummary::checked_at>("checked_at"),
    ReadColumn<&UpstreamSummary::versions>("versions"), ReadColumn<&UpstreamSummary::held>("held"),
    ReadColumn<&UpstreamSummary::held_bytes>("held_bytes"),
    ReadColumn<&UpstreamSummary::last_version>("last_version"),
    ReadColumn<&UpstreamSummary::last_seen_at>("last_seen_at"));

std::string SummaryText(const SummaryTexts& texts, const UpstreamFilter& filter,
                        std::size_t words) {
  std::string_view key = texts.name == kMirroredProviders.name ? "provider_key" : "module_key";
  std::string text(texts.begin);
  for (std::size_t i = 0; i < words; ++i) {
    text += fmt::format(" AND p.{} LIKE :word{} ESCAPE '\\'", key, i);
  }
  if (filter.checked_since) text += kCheckedSince;
  if (filter.checked_before) text += kCheckedBefore;
  return text.append(kSummaryPage).append(texts.end);
}

Result<Page<UpstreamSummary>> ListSummaries(Session& session, const SummaryTexts& texts,
                                            const UpstreamFilter& filter, const PageRequest& page) {
  Page<UpstreamSummary> result;
  if (!IsStorable(filter.query)) return result;  // matches nothing
  const std::vector<std::string> words = SearchWords(filter.query);
  const std::string text = SummaryText(texts, filter, words.size());
  const std::uint64_t limit = std::min(page.limit, kLongestPage);
  constexpr auto kEnd = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  Query query(session, Statement{texts.name, text});
  for (const std::string& word : words) query.Use(Containing(word));
  if (filter.checked_since) query.Use(*filter.checked_since);
  if (filter.checked_before) query.Use(*filter.checked_before);
  query.Use(static_cast<std::int64_t>(limit + 1));
  query.Use(static_cast<std::int64_t>(std::min(page.offset, kEnd)));
  RecordReader reader(query, kUpstreamSummaryColumns);
  while (query.Next()) {
    if (result.items.size() == limit) {
      result.more = true;
      break;
    }
    ASSIGN_OR_RETURN(UpstreamSummary summary, reader.Read());
    result.items.push_back(std::move(summary));
  }
  return result;
}

Result<Page<UpstreamSummary>> ListMirroredProviders(Session& session, const UpstreamFilter& filter,
                                                    const PageRequest& page) {
  return ListSummaries(session, kMirroredProviders, filter, page);
}

Result<Page<UpstreamSummary>> ListMirroredModules(Session& session, const UpstreamFilter& filter,
                                                  const PageRequest& page) {
  return ListSummaries(session, kMirroredModules, filter, page);
}

Result<UpstreamCounts> CountMirrored(Session& session) {
  std::int64_t providers = 0;
  std::int64_t modules = 0;
  Query query(session, kCountMirrored);
  query.Into(providers).Into(modules).Next();
  return UpstreamCounts{static_cast<std::uint64_t>(providers), static_cast<std::uint64_t>(modules)};
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<Page<UpstreamSummary>> UpstreamListings::ListMirroredProviders(UpstreamFilter filter,
                                                                    PageRequest page) {
  return transactions_.Read(&sql::ListMirroredProviders, std::move(filter), page);
}

Task<Page<UpstreamSummary>> UpstreamListings::ListMirroredModules(UpstreamFilter filter,
                                                                  PageRequest page) {
  return transactions_.Read(&sql::ListMirroredModules, std::move(filter), page);
}

Task<UpstreamCounts> UpstreamListings::CountMirrored() {
  return transactions_.Read(&sql::CountMirrored);
}

}  // namespace koya

namespace koya {

Task<std::vector<Version>> UpstreamReleases::ListUpstreamVersions(UpstreamProvider provider) {
  return transactions_.Read(&sql::ListUpstreamVersions, std::move(provider));
}

Task<std::vector<UpstreamRelease>> UpstreamReleases::ListUpstreamReleases(
    std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) {
  return transactions_.Read(&sql::ListUpstreamReleases, std::move(after), limit);
}

Task<std::vector<UpstreamRelease>> UpstreamReleases::ListUnknownSigners(
    std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) {
  return transactions_.Read(&sql::ListUnknownSigners, std::move(after), limit);
}

Task<std::vector<UpstreamModuleVersion>> UpstreamModules::ListUpstreamModuleArchives(
    std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit) {
  return transactions_.Read(&sql::ListUpstreamModuleArchives, std::move(after), limit);
}

}  // namespace koya
