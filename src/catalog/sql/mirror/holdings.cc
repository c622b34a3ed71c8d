#include "catalog/sql/mirror/holdings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/mirror/upstream_row.h"
#include "catalog/sql/search/search_entries.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"
#include "domain/upstream_record.h"

namespace koya::sql {

std::string MirroredTarget(const UpstreamProvider& provider, const Version& version) {
  return fmt::format("provider:{}@{}", provider.Key(), version.ToString());
}

std::string MirroredTarget(const UpstreamModule& module, const Version& version) {
  return fmt::format("module:{}/{}@{}", module.host.ascii(), module.address.ToString(),
                     version.ToString());
}

void RecordImport(Session& session, const Actor& by, std::string target, std::string after) {
  AuditedChange change{.action = "mirror.import", .target = std::move(target)};
  change.after = std::move(after);
  RecordChange(session, by, change);
}

void RecordRemoval(Session& session, const Actor& by, std::string target, const std::string& held,
                   const std::string& reason) {
  AuditedChange change{.action = "mirror.remove", .target = std::move(target)};
  AuditFacts before;
  change.before = before.Add("held", held).ToJson();
  AuditFacts after;
  if (!reason.empty()) change.after = after.Add("reason", reason).ToJson();
  RecordChange(session, by, change);
}

std::string MirroredBytes(const std::string& platform, const Digest& digest) {
  return fmt::format("{} {}", platform, digest.ToString());
}

namespace {

// A use from the future was noted by a clock that was wrong: the next one takes its place.
constexpr Statement kHold{
    "hold_blob",
    "INSERT INTO held_blob (digest, size, used_at) VALUES (:digest, :size, :used_at) "
    "ON CONFLICT (digest) DO UPDATE SET used_at = CASE WHEN excluded.used_at > held_blob.used_at "
    "OR held_blob.used_at > {{now}} THEN excluded.used_at ELSE held_blob.used_at END"};
constexpr Statement kTouch{"touch_held_blob",
                           "UPDATE held_blob SET used_at = :at WHERE digest = :digest AND "
                           "(used_at <= :before OR used_at > {{now}})"};
constexpr Statement kLock{"lock_held_blob",
                          "SELECT size FROM held_blob WHERE digest = :digest {{for update}}"};
constexpr Statement kForgetHeld{"forget_held_blob", "DELETE FROM held_blob WHERE digest = :digest"};
constexpr Statement kReleasePackages{
    "release_upstream_packages",
    "UPDATE upstream_package SET held = 0 WHERE digest = :digest AND held = 1"};
constexpr Statement kReleaseModules{
    "release_upstream_modules",
    "UPDATE upstream_module_version SET held = 0 WHERE digest = :digest AND held = 1"};
constexpr Statement kReleasePackage{
    "release_upstream_package",
    "UPDATE upstream_package SET held = 0 WHERE held = 1 AND os = :os AND arch = :arch AND "
    "release_id = (SELECT r.id FROM upstream_release r JOIN upstream_provider p "
    "ON p.id = r.provider_id WHERE p.provider_key = :provider_key AND r.version = :version)"};
constexpr Statement kReleaseModule{
    "release_upstream_module",
    "UPDATE upstream_module_version SET held = 0 WHERE held = 1 AND version = :version AND "
    "module_id = (SELECT id FROM upstream_module WHERE module_key = :module_key)"};
// The key of each provider and module that holds the blob.
constexpr Statement kListHolders{
    "list_blob_holders",
    "SELECT p.provider_key FROM upstream_package k JOIN upstream_release r ON r.id = k.release_id "
    "JOIN upstream_provider p ON p.id = r.provider_id WHERE k.digest = :package AND k.held = 1 "
    "UNION SELECT m.module_key FROM upstream_module_version v "
    "JOIN upstream_module m ON m.id = v.module_id WHERE v.digest = :module AND v.held = 1"};
// Each package and module that holds it, as the audit log calls it, and of a package the platform.
constexpr Statement kListHeldThings{
    "list_blob_held_things",
    "SELECT 'provider:' || p.provider_key || '@' || r.version, k.os || '_' || k.arch "
    "FROM upstream_package k JOIN upstream_release r ON r.id = k.release_id "
    "JOIN upstream_provider p ON p.id = r.provider_id WHERE k.digest = :package AND k.held = 1 "
    "UNION ALL SELECT 'module:' || m.host || '/' || m.namespace || '/' || m.name || '/' || "
    "m.system || '@' || v.version, '' FROM upstream_module_version v "
    "JOIN upstream_module m ON m.id = v.module_id WHERE v.digest = :module AND v.held = 1"};
// A sum of BIGINTs is no BIGINT on PostgreSQL.
constexpr Statement kSumBytes{"sum_held_bytes",
                              "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM held_blob"};

// Makes two that evict take turns: the second sees what the first left. SQLite has one writer.
constexpr Statement kTakeTurnsEvicting{"lock_eviction", "SELECT pg_advisory_xact_lock(5427003)"};
// Blobs that were not used for a while, and whose holders are all of registries in the two lists of
// hosts, which are one. A use in the future is ignored.
#define KOYA_EVICTABLE(package, module)                                                    \
  "SELECT b.digest, b.size FROM held_blob b WHERE (b.used_at <= {{now}} - :unused_for OR " \
  "b.used_at > {{now}}) AND NOT EXISTS (SELECT 1 FROM upstream_package k "                 \
  "JOIN upstream_release r ON r.id = k.release_id "                                        \
  "JOIN upstream_provider p ON p.id = r.provider_id WHERE k.digest = " package             \
  " AND k.held = 1 "                                                                       \
  "AND p.host NOT IN (SELECT element FROM {{elements of}} :hosts {{end of elements}})) "   \
  "AND NOT EXISTS (SELECT 1 FROM upstream_module_version v "                               \
  "JOIN upstream_module m ON m.id = v.module_id WHERE v.digest = " module                  \
  " AND v.held = 1 "                                                                       \
  "AND m.host NOT IN (SELECT element FROM {{elements of}} :same_hosts {{end of elements}}))"
constexpr Statement kListEvictable{
    "list_evictable_blobs",
    KOYA_EVICTABLE("b.digest", "b.digest") " ORDER BY b.used_at, b.digest LIMIT :limit"};
// PostgreSQL compares the tables' digests under held_blob's collation, which is not that of the
// others' indexes: each is compared with the parameter.
constexpr Statement kIsEvictable{"is_blob_evictable",
                                 KOYA_EVICTABLE(":package", ":module") " AND b.digest = :digest"};

// Keeps the blob's row from others until the transaction ends. Returns whether it is held.
bool LockHeld(Session& session, const std::string& digest) {
  std::int64_t size = 0;
  Query query(session, kLock);
  return query.Use(digest).Into(size).Next();
}

std::vector<std::string> ListHolders(Session& session, const std::string& digest) {
  std::vector<std::string> keys;
  std::string key;
  Query query(session, kListHolders);
  query.Use(digest).Use(digest).Into(key);
  while (query.Next()) keys.push_back(key);
  return keys;
}

// Of all that hold the blob, whose topics are added to `topics`, and releases to `releases`: the
// caller takes those out of the index. Returns how many they were.
Result<std::int64_t> ReleaseAll(Session& session, const Digest& digest,
                                std::vector<std::string>& topics, EvictedReleases& releases) {
  const std::string hex = digest.hex();
  releases.AddHoldersOf(session, hex);
  RETURN_IF_ERROR(RemoveMirroredEntries(session, hex));
  for (const std::string& key : ListHolders(session, hex)) topics.push_back(MirrorTopic(key));
  std::int64_t named = 0;
  for (const Statement* statement : {&kForgetHeld, &kReleasePackages, &kReleaseModules}) {
    Query query(session, *statement);
    std::int64_t rows = query.Use(hex).Run();
    if (statement != &kForgetHeld) named += rows;
  }
  return named;
}

// After one holder let go: forgets the blob when that was the last one. Returns whether it was.
bool ForgetUnlessHeld(Session& session, const Digest& digest, const std::string& holder) {
  const bool last = ListHolders(session, digest.hex()).empty();
  if (last) {
    Query query(session, kForgetHeld);
    query.Use(digest.hex()).Run();
  }
  AppendChange(session, MirrorTopic(holder));
  return last;
}

Result<std::vector<EvictedBlob>> ListEvictable(Session& session, const EvictionRule& rule,
                                               const std::string& hosts) {
  std::vector<EvictedBlob> blobs;
  std::string digest;
  std::int64_t size = 0;
  Query query(session, kListEvictable);
  query.Use(rule.unused_for.count()).Use(hosts).Use(hosts);
  query.Use(static_cast<std::int64_t>(std::min(rule.most_blobs, kMostListed)));
  query.Into(digest).Into(size);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Digest parsed, Stored(Digest::Parse(digest)));
    blobs.push_back({parsed, static_cast<std::uint64_t>(size)});
  }
  return blobs;
}

bool IsEvictable(Session& session, const EvictionRule& rule, const std::string& hosts,
                 const Digest& digest) {
  std::string found;
  std::int64_t size = 0;
  Query query(session, kIsEvictable);
  const std::string hex = digest.hex();
  query.Use(rule.unused_for.count()).Use(hex).Use(hosts).Use(hex).Use(hosts).Use(hex);
  return query.Into(found).Into(size).Next();
}

Status TouchHeld(Session& session, const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    Query query(session, kTouch);
    query.Use(use.at).Use(use.digest.hex()).Use(use.at - UpstreamHoldings::kTouchEvery).Run();
  }
  return {};
}

// Of all that hold the blob, before they let go.
void RecordRelease(Session& session, const Actor& by, const Digest& digest,
                   const std::string& reason) {
  std::vector<std::pair<std::string, std::string>> things;
  {
    std::string target, platform;
    Query query(session, kListHeldThings);
    query.Use(digest.hex()).Use(digest.hex()).Into(target).Into(platform);
    while (query.Next()) things.emplace_back(target, platform);
  }
  std::ranges::sort(things);
  for (const auto& [target, platform] : things) {
    const std::string held = platform.empty() ? digest.ToString() : MirroredBytes(platform, digest);
    RecordRemoval(session, by, target, held, reason);
  }
}

Result<std::uint64_t> ReleaseHeld(Session& session, const Actor& by, const Digest& digest,
                                  const std::string& reason) {
  RETURN_IF_ERROR(CheckStorable("the reason", reason));
  if (!LockHeld(session, digest.hex())) return 0;
  RecordRelease(session, by, digest, reason);
  std::vector<std::string> topics;
  EvictedReleases releases;
  ASSIGN_OR_RETURN(const std::int64_t named, ReleaseAll(session, digest, topics, releases));
  RETURN_IF_ERROR(releases.RemoveFromIndex(session));
  AppendChanges(session, std::move(topics));
  return static_cast<std::uint64_t>(named);
}

Result<bool> ReleasePackage(Session& session, const Actor& by, const UpstreamProvider& provider,
                            const Version& version, const Platform& platform) {
  ASSIGN_OR_RETURN(UpstreamRelease release, FindUpstreamRelease(session, provider, version));
  auto package = std::ranges::find(release.packages, platform, &UpstreamPackage::platform);
  if (package == release.packages.end()) {
    return NotPinned(provider.Key(),
                     fmt::format("{} for {}", version.ToString(), platform.ToString()));
  }
  if (!LockHeld(session, package->digest.hex())) return false;
  {
    Query query(session, kReleasePackage);
    query.Use(platform.os()).Use(platform.arch()).Use(provider.Key()).Use(version.ToString());
    if (query.Run() == 0) return false;
  }
  EvictedReleases releases;
  releases.Add(provider, version);
  RETURN_IF_ERROR(releases.RemoveFromIndex(session));
  RecordRemoval(session, by, MirroredTarget(provider, version),
                MirroredBytes(platform.ToString(), package->digest), "");
  return ForgetUnlessHeld(session, package->digest, provider.Key());
}

Result<bool> ReleaseModule(Session& session, const Actor& by, const UpstreamModule& module,
                           const Version& version) {
  ASSIGN_OR_RETURN(UpstreamModuleVersion pinned, FindUpstreamModule(session, module, version));
  if (!LockHeld(session, pinned.digest.hex())) return false;
  RETURN_IF_ERROR(RemoveMirroredEntries(session, module, version));
  {
    Query query(session, kReleaseModule);
    query.Use(version.ToString()).Use(module.Key());
    if (query.Run() == 0) return false;
  }
  RecordRemoval(session, by, MirroredTarget(pinned.module, version), pinned.digest.ToString(), "");
  return ForgetUnlessHeld(session, pinned.digest, module.Key());
}

Result<std::uint64_t> HeldBytes(Session& session) {
  std::int64_t bytes = 0;
  Query query(session, kSumBytes);
  query.Into(bytes).Next();
  return static_cast<std::uint64_t>(bytes);
}

Result<std::vector<EvictedBlob>> EvictHeld(Session& session, const EvictionRule& rule) {
  if (session.dialect() == Dialect::kPostgres) session.Run(kTakeTurnsEvicting);
  ASSIGN_OR_RETURN(const std::uint64_t held, HeldBytes(session));
  if (held <= rule.max_bytes) return std::vector<EvictedBlob>();
  std::vector<std::string> names;
  for (const HostName& host : rule.hosts) names.push_back(host.ascii());
  const std::string hosts = JsonList(names);
  ASSIGN_OR_RETURN(std::vector<EvictedBlob> chosen, ListEvictable(session, rule, hosts));
  std::uint64_t bytes = 0;
  auto enough = std::ranges::find_if(chosen, [&](const EvictedBlob& blob) {
    const bool all = held - std::min(held, bytes) <= rule.max_bytes;
    bytes += blob.size;
    return all;
  });
  chosen.erase(enough, chosen.end());
  std::ranges::sort(chosen, {}, &EvictedBlob::digest);  // the order in which blobs are locked
  std::vector<std::string> topics;
  EvictedReleases releases;
  std::vector<EvictedBlob> gone;
  for (const EvictedBlob& blob : chosen) {
    // Asked again with the row locked: an import may have taken hold of it since.
    const bool goes =
        LockHeld(session, blob.digest.hex()) && IsEvictable(session, rule, hosts, blob.digest);
    if (!goes) continue;
    RETURN_IF_ERROR(ReleaseAll(session, blob.digest, topics, releases));
    gone.push_back(blob);
  }
  RETURN_IF_ERROR(releases.RemoveFromIndex(session));
  AppendChanges(session, std::move(topics));
  return gone;
}

}  // namespace

void HoldBlob(Session& session, const Digest& digest, std::uint64_t size, UnixSeconds used_at) {
  Query query(session, kHold);
  query.Use(digest.hex()).Use(static_cast<std::int64_t>(size)).Use(used_at).Run();
}

}  // namespace koya::sql

namespace koya {

// A use of something not held yet must not hide the next one: whatever holds bytes clears the
// memory of it.
Task<void> UpstreamHoldings::TouchHeld(std::vector<Use> uses) {
  uses = uses_.LeftOf(std::move(uses));
  if (uses.empty()) co_return Status();
  Status status = co_await transactions_.Write(&sql::TouchHeld, uses);
  if (status) uses_.RecordUse(uses);
  co_return status;
}

Task<std::uint64_t> UpstreamHoldings::HeldBytes() { return transactions_.Read(&sql::HeldBytes); }

Task<bool> UpstreamHoldings::ReleasePackage(Actor by, UpstreamProvider provider, Version version,
                                            Platform platform) {
  return transactions_.Write(&sql::ReleasePackage, std::move(by), std::move(provider),
                             std::move(version), std::move(platform));
}

Task<bool> UpstreamHoldings::ReleaseModule(Actor by, UpstreamModule module, Version version) {
  return transactions_.Write(&sql::ReleaseModule, std::move(by), std::move(module),
                             std::move(version));
}

Task<std::uint64_t> UpstreamHoldings::ReleaseHeld(Actor by, Digest digest, std::string reason) {
  return transactions_.Write(&sql::ReleaseHeld, std::move(by), digest, std::move(reason));
}

Task<std::vector<EvictedBlob>> UpstreamHoldings::EvictHeld(EvictionRule rule) {
  return transactions_.Write(&sql::EvictHeld, std::move(rule));
}

}  // namespace koya
