#include <algorithm>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/upstream_row.h"
#include "catalog/sql/mirror/upstream_bounds.h"
#include "catalog/sql/mirror/upstream_modules.h"
#include "catalog/sql/mirror/upstream_releases.h"
#include "domain/upstream_record.h"

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

}  // namespace koya::sql

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
