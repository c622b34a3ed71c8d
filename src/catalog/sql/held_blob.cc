#include "catalog/sql/held_blob.h"

#include <algorithm>

#include "catalog/sql/query.h"
#include "catalog/sql/upstream_bounds.h"
#include "catalog/sql/upstream_catalog.h"
#include "catalog/sql/upstream_row.h"

namespace koya::sql {
namespace {

constexpr Statement kHold{
    "hold_blob",
    "INSERT INTO held_blob (digest, size, used_at) VALUES (:digest, :size, :used_at) "
    "ON CONFLICT (digest) DO UPDATE SET used_at = CASE WHEN excluded.used_at > held_blob.used_at "
    "THEN excluded.used_at ELSE held_blob.used_at END"};
constexpr Statement kTouch{
    "touch_held_blob",
    "UPDATE held_blob SET used_at = :at WHERE digest = :digest AND used_at <= :before"};
constexpr Statement kForget{"forget_held_blob", "DELETE FROM held_blob WHERE digest = :digest"};
constexpr Statement kReleasePackages{
    "release_upstream_packages",
    "UPDATE upstream_package SET held = 0 WHERE digest = :digest AND held = 1"};
constexpr Statement kReleaseModules{
    "release_upstream_modules",
    "UPDATE upstream_module_version SET held = 0 WHERE digest = :digest AND held = 1"};
// A sum of BIGINTs is no BIGINT on PostgreSQL.
constexpr Statement kSumBytes{"sum_held_bytes",
                              "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM held_blob"};
// Each blob is named by one of those that hold it.
constexpr Statement kLeastUsed{
    "list_least_used",
    "SELECT h.digest, h.size, h.used_at, p.host, p.namespace, p.type, r.version, k.os, k.arch, "
    "m.host, m.namespace, m.name, m.system, v.version FROM (SELECT b.digest, b.size, b.used_at, "
    "(SELECT MIN(k.id) FROM upstream_package k WHERE k.digest = b.digest AND k.held = 1) "
    "AS package_id, "
    "(SELECT MIN(v.id) FROM upstream_module_version v WHERE v.digest = b.digest AND v.held = 1) "
    "AS module_version_id FROM held_blob b WHERE (b.used_at, b.digest) > (:used_at, :digest) "
    "ORDER BY b.used_at, b.digest LIMIT :limit) h "
    "LEFT JOIN upstream_package k ON k.id = h.package_id "
    "LEFT JOIN upstream_release r ON r.id = k.release_id "
    "LEFT JOIN upstream_provider p ON p.id = r.provider_id "
    "LEFT JOIN upstream_module_version v ON v.id = h.module_version_id "
    "LEFT JOIN upstream_module m ON m.id = v.module_id ORDER BY h.used_at, h.digest"};

struct HeldRow {
  std::string digest;
  std::int64_t size = 0;
  std::int64_t used_at = 0;
  std::optional<std::string> host, ns, type, version, os, arch;
  std::optional<std::string> module_host, module_ns, module_name, module_system, module_version;

  void Bind(Query& query) {
    query.Into(digest).Into(size).Into(used_at);
    query.Into(host).Into(ns).Into(type).Into(version).Into(os).Into(arch);
    query.Into(module_host).Into(module_ns).Into(module_name).Into(module_system);
    query.Into(module_version);
  }

  // Without whose it is.
  Result<HeldArchive> ToBlob(const std::string& version_text) const {
    ASSIGN_OR_RETURN(Version parsed, ToVersion(version_text));
    ASSIGN_OR_RETURN(Digest blob, ToDigest(digest));
    return HeldArchive{.provider = std::nullopt,
                       .module = std::nullopt,
                       .version = std::move(parsed),
                       .platform = std::nullopt,
                       .digest = blob,
                       .size = static_cast<std::uint64_t>(size),
                       .used_at = used_at};
  }

  Result<HeldArchive> ToArchive() const {
    if (host) {
      ASSIGN_OR_RETURN(HeldArchive archive, ToBlob(*version));
      ASSIGN_OR_RETURN(archive.provider, ToUpstreamProvider(*host, *ns, *type));
      ASSIGN_OR_RETURN(archive.platform, ToPlatform(*os, *arch));
      return archive;
    }
    // Nobody names it: not of this program's writing, which the empty version says.
    ASSIGN_OR_RETURN(HeldArchive archive, ToBlob(module_version.value_or("")));
    ASSIGN_OR_RETURN(archive.module,
                     ToUpstreamModule(module_host.value_or(""), module_ns.value_or(""),
                                      module_name.value_or(""), module_system.value_or("")));
    return archive;
  }
};

}  // namespace

void HoldBlob(Session& session, const Digest& digest, std::uint64_t size, UnixSeconds used_at) {
  Query query(session, kHold);
  query.Use(digest.hex()).Use(static_cast<std::int64_t>(size)).Use(used_at).Run();
}

Status TouchHeld(Session& session, const Digest& digest, UnixSeconds at) {
  Query query(session, kTouch);
  query.Use(at).Use(digest.hex()).Use(at - kTouchHeldEvery).Run();
  return {};
}

std::uint64_t ReleaseHeld(Session& session, const Digest& digest) {
  const std::string hex = digest.hex();
  std::int64_t named = 0;
  for (const Statement* statement : {&kForget, &kReleasePackages, &kReleaseModules}) {
    Query query(session, *statement);
    std::int64_t rows = query.Use(hex).Run();
    if (statement != &kForget) named += rows;
  }
  return static_cast<std::uint64_t>(named);
}

std::uint64_t HeldBytes(Session& session) {
  std::int64_t bytes = 0;
  Query query(session, kSumBytes);
  query.Into(bytes).Next();
  return static_cast<std::uint64_t>(bytes);
}

Result<std::vector<HeldArchive>> LeastUsed(
    Session& session, const std::optional<std::pair<UnixSeconds, Digest>>& after,
    std::uint64_t limit) {
  std::vector<HeldArchive> archives;
  HeldRow row;
  Query query(session, kLeastUsed);
  // Nothing was used before the epoch, and no digest is the empty text.
  query.Use(after ? after->first : 0).Use(after ? after->second.hex() : std::string());
  query.Use(static_cast<std::int64_t>(std::min(limit, kMostListed)));
  row.Bind(query);
  while (query.Next()) {
    ASSIGN_OR_RETURN(HeldArchive archive, row.ToArchive());
    archives.push_back(std::move(archive));
  }
  return archives;
}

}  // namespace koya::sql
