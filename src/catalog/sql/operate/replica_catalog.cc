#include "catalog/sql/operate/replica_catalog.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/migrations.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/audit_facts.h"
#include "domain/replica_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kAskTime{"ask_time", "SELECT {{now in milliseconds}}"};

Result<std::chrono::milliseconds> AskTime(Session& session) {
  std::int64_t now = 0;
  Query query(session, kAskTime);
  query.Into(now);
  query.Next();
  return std::chrono::milliseconds(now);
}

}  // namespace

namespace {

// One statement, so that of two who come at once one gets it.
constexpr Statement kTakeLease{
    "take_lease",
    "INSERT INTO lease (name, holder, address, until) VALUES (:name, :holder, :address, "
    "{{now}} + :life) ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, "
    "address = excluded.address, until = excluded.until "
    "WHERE lease.until < {{now}} OR lease.holder = excluded.holder"};
// Of two who find the same holder dead one gets it: the other's `from` is no longer there.
constexpr Statement kTakeLeaseOver{"take_lease_over",
                                   "UPDATE lease SET holder = :holder, address = :address, "
                                   "until = {{now}} + :life WHERE name = :name AND holder = :from"};
constexpr Statement kKeepLeases{"keep_leases",
                                "UPDATE lease SET until = {{now}} + :life WHERE holder = :holder "
                                "AND until >= {{now}} RETURNING name"};
constexpr Statement kGiveLeaseBack{"give_lease_back",
                                   "DELETE FROM lease WHERE name = :name AND holder = :holder"};
constexpr Statement kListLeases{"list_leases",
                                "SELECT name, holder, address, until FROM lease "
                                "WHERE until >= {{now}} ORDER BY name"};

constexpr Statement kFindLease{"find_lease",
                               "SELECT name, holder, address, until FROM lease "
                               "WHERE name = :name AND until >= {{now}}"};

Status CheckLease(const LeaseRecord& lease) {
  RETURN_IF_ERROR(CheckStorable("the lease's name", lease.name));
  RETURN_IF_ERROR(CheckStorable("the lease's holder", lease.holder));
  return CheckStorable("the holder's address", lease.address);
}

Result<bool> TakeLease(Session& session, const LeaseRecord& lease, std::chrono::seconds life) {
  RETURN_IF_ERROR(CheckLease(lease));
  Query query(session, kTakeLease);
  query.Use(lease.name).Use(lease.holder).Use(lease.address).Use(std::int64_t{life.count()});
  return query.Run() != 0;
}

Result<bool> TakeLeaseOver(Session& session, const LeaseRecord& lease, const std::string& from,
                           std::chrono::seconds life) {
  RETURN_IF_ERROR(CheckLease(lease));
  Query query(session, kTakeLeaseOver);
  query.Use(lease.holder).Use(lease.address).Use(std::int64_t{life.count()});
  query.Use(lease.name).Use(from);
  return query.Run() != 0;
}

Status GiveLeaseBack(Session& session, const std::string& name, const std::string& holder) {
  Query(session, kGiveLeaseBack).Use(name).Use(holder).Run();
  return {};
}

Result<std::vector<LeaseRecord>> ListLeases(Session& session) {
  std::vector<LeaseRecord> leases;
  LeaseRecord lease;
  Query query(session, kListLeases);
  query.Into(lease.name).Into(lease.holder).Into(lease.address).Into(lease.until);
  while (query.Next()) leases.push_back(lease);
  return leases;
}

Result<std::optional<LeaseRecord>> FindLease(Session& session, const std::string& name) {
  LeaseRecord lease;
  Query query(session, kFindLease);
  query.Use(name).Into(lease.name).Into(lease.holder).Into(lease.address).Into(lease.until);
  if (!query.Next()) return std::nullopt;
  return lease;
}

}  // namespace

Result<std::vector<std::string>> KeepLeasesOf(Session& session, const std::string& holder,
                                              std::chrono::seconds life) {
  std::vector<std::string> names;
  std::string name;
  Query query(session, kKeepLeases);
  query.Use(std::int64_t{life.count()}).Use(holder).Into(name);
  while (query.Next()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

Task<bool> SqlLeases::TakeLease(LeaseRecord lease, std::chrono::seconds life) {
  return transactions_.Write(&sql::TakeLease, std::move(lease), life);
}

Task<bool> SqlLeases::TakeLeaseOver(LeaseRecord lease, std::string from,
                                    std::chrono::seconds life) {
  return transactions_.Write(&sql::TakeLeaseOver, std::move(lease), std::move(from), life);
}

Task<std::vector<std::string>> SqlLeases::KeepLeases(std::string holder,
                                                     std::chrono::seconds life) {
  return transactions_.Write(&KeepLeasesOf, std::move(holder), life);
}

Task<void> SqlLeases::GiveLeaseBack(std::string name, std::string holder) {
  return transactions_.Write(&sql::GiveLeaseBack, std::move(name), std::move(holder));
}

Task<std::vector<LeaseRecord>> SqlLeases::ListLeases() {
  return transactions_.Read(&sql::ListLeases);
}

Task<std::optional<LeaseRecord>> SqlLeases::FindLease(std::string name) {
  return transactions_.Read(&sql::FindLease, std::move(name));
}

namespace {

constexpr Statement kAddInstallation{"add_installation",
                                     "INSERT INTO installation (one, id, secret_mark) VALUES (1, "
                                     ":id, :mark) ON CONFLICT DO NOTHING"};
constexpr Statement kFindInstallation{"find_installation",
                                      "SELECT id, secret_mark FROM installation"};
constexpr Statement kMarkInstallation{
    "mark_installation",
    "UPDATE installation SET secret_mark = :mark WHERE secret_mark = :replaced"};
constexpr Statement kFindStorage{"find_storage",
                                 "SELECT COALESCE(storage, 'folder') FROM installation"};
constexpr Statement kSetStorage{
    "set_storage",
    "UPDATE installation SET storage = :storage WHERE COALESCE(storage, 'folder') = :was"};
constexpr Statement kFindFreeze{"find_freeze",
                                "SELECT frozen_at, frozen_by, freeze_reason FROM installation"};
constexpr Statement kFreeze{
    "freeze",
    "UPDATE installation SET frozen_at = CASE WHEN frozen_at = 0 THEN {{now}} ELSE frozen_at END, "
    "frozen_by = :by, freeze_reason = :reason"};
constexpr Statement kUnfreeze{
    "unfreeze",
    "UPDATE installation SET frozen_at = 0, frozen_by = '', freeze_reason = '' "
    "WHERE frozen_at <> 0"};
// Of everything that refers to blobs, one.
constexpr Statement kFindAnyBlob{
    "find_any_blob",
    "SELECT digest FROM (SELECT digest FROM module_version "
    "WHERE withdrawn_at IS NULL LIMIT 1) AS modules "
    "UNION ALL SELECT sums_digest FROM (SELECT sums_digest FROM provider_release "
    "WHERE withdrawn_at IS NULL LIMIT 1) AS releases "
    "UNION ALL SELECT digest FROM (SELECT digest FROM draft_file LIMIT 1) AS drafts "
    "UNION ALL SELECT digest FROM (SELECT digest FROM held_blob LIMIT 1) AS held "
    "UNION ALL SELECT sums_digest FROM (SELECT sums_digest FROM upstream_release "
    "WHERE sums_digest IS NOT NULL LIMIT 1) AS pinned LIMIT 1"};
constexpr Statement kKeepReplica{
    "keep_replica",
    "INSERT INTO replica (id, address, version, schema_step, started_at, seen_at, feed_age_ms, "
    "clock_ahead_ms, settings) VALUES (:id, :address, :version, :step, {{now}}, {{now}}, :age, "
    ":ahead, :settings) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, "
    "address = excluded.address, feed_age_ms = excluded.feed_age_ms, "
    "clock_ahead_ms = excluded.clock_ahead_ms"};
constexpr Statement kRemoveOldReplicas{"remove_old_replicas",
                                       "DELETE FROM replica WHERE seen_at < {{now}} - :kept"};
constexpr Statement kRemoveReplica{"remove_replica", "DELETE FROM replica WHERE id = :id"};
constexpr Statement kListReplicas{
    "list_replicas",
    "SELECT id, address, version, schema_step, started_at, seen_at, feed_age_ms, clock_ahead_ms, "
    "settings FROM replica WHERE seen_at >= {{now}} - :live ORDER BY address, id"};

Result<Installation> AdoptInstallation(Session& session, const Installation& made) {
  RETURN_IF_ERROR(CheckStorable("the installation's ID", made.id));
  RETURN_IF_ERROR(CheckStorable("the installation's mark", made.secret_mark));
  Query(session, kAddInstallation).Use(made.id).Use(made.secret_mark).Run();
  Installation found;
  Query query(session, kFindInstallation);
  query.Into(found.id).Into(found.secret_mark).Next();
  return found;
}

Status MarkInstallation(Session& session, const std::string& replaced, const std::string& mark) {
  RETURN_IF_ERROR(CheckStorable("the installation's mark", mark));
  if (Query(session, kMarkInstallation).Use(mark).Use(replaced).Run() != 0) return {};
  return FailConflict("another server has marked the installation meanwhile");
}

Result<std::optional<StorageMismatch>> KeepBlobsIn(Session& session, const std::string& storage) {
  RETURN_IF_ERROR(CheckStorable("blobs.url", storage));
  std::string was;
  Query(session, kFindStorage).Into(was).Next();
  if (was == storage) return std::nullopt;
  std::string digest;
  if (Query(session, kFindAnyBlob).Into(digest).Next()) {
    return StorageMismatch{std::move(was), "sha256:" + digest};
  }
  if (Query(session, kSetStorage).Use(storage).Use(was).Run() != 0) return std::nullopt;
  return FailUnavailable("another server is just recording where blobs are stored: start again");
}

Result<FreezeState> FindFreeze(Session& session) {
  FreezeState state;
  Query query(session, kFindFreeze);
  query.Into(state.since).Into(state.by).Into(state.reason).Next();
  return state;
}

Result<FreezeState> SetFreeze(Session& session, const Actor& by, bool frozen,
                              const std::string& reason) {
  RETURN_IF_ERROR(CheckStorable("the reason", reason));
  if (frozen) {
    if (Query(session, kFreeze).Use(by.name).Use(reason).Run() == 0) {
      return FailConflict("the catalog has no installation yet: start a server on it first");
    }
  } else if (Query(session, kUnfreeze).Run() == 0) {
    return FreezeState();
  }
  AuditFacts facts;
  if (!reason.empty()) facts.Add("reason", reason);
  RecordChange(session, by,
               {.action = frozen ? "server.freeze" : "server.unfreeze",
                .target = "server",
                .after = reason.empty() ? "" : facts.ToJson()});
  AppendChange(session, std::string(kFreezeTopic));
  return FindFreeze(session);
}

Result<std::vector<std::string>> ListMissingMigrations(Session& session) {
  return ListMissingSteps(session, AllMigrations());
}

std::string SettingsText(const std::map<std::string, std::string>& settings) {
  std::vector<std::string> list;
  list.reserve(settings.size());
  for (const auto& [name, digest] : settings) list.push_back(name + "=" + digest);
  return JoinList(list);
}

Result<std::map<std::string, std::string>> ReadSettings(const std::string& text) {
  ASSIGN_OR_RETURN(const std::vector<std::string> list, SplitList(text));
  std::map<std::string, std::string> settings;
  for (const std::string& each : list) {
    const std::size_t equals = std::min(each.find('='), each.size());
    settings[each.substr(0, equals)] = each.substr(std::min(equals + 1, each.size()));
  }
  return settings;
}

Result<std::vector<std::string>> KeepReplica(Session& session, const ReplicaRecord& replica,
                                             std::chrono::seconds lease_life) {
  for (const std::string* text : {&replica.id, &replica.address, &replica.version}) {
    RETURN_IF_ERROR(CheckStorable("the replica's texts", *text));
  }
  Query keep(session, kKeepReplica);
  keep.Use(replica.id).Use(replica.address).Use(replica.version).Use(replica.schema_step);
  keep.Use(std::int64_t{replica.feed_age.count()}).Use(std::int64_t{replica.clock_ahead.count()});
  const std::string settings = SettingsText(replica.settings);
  RETURN_IF_ERROR(CheckStorable("the replica's settings", settings));
  keep.Use(settings);
  keep.Run();
  constexpr std::chrono::seconds kKept = ReplicaCatalog::kKept;
  Query(session, kRemoveOldReplicas).Use(std::int64_t{kKept.count()}).Run();
  return KeepLeasesOf(session, replica.id, lease_life);
}

Status RemoveReplica(Session& session, const std::string& id) {
  Query(session, kRemoveReplica).Use(id).Run();
  return {};
}

Result<std::vector<ReplicaRecord>> ListReplicas(Session& session) {
  std::vector<ReplicaRecord> replicas;
  ReplicaRecord replica;
  std::int64_t feed_age = 0;
  std::int64_t clock_ahead = 0;
  Query query(session, kListReplicas);
  query.Use(std::int64_t{ReplicaCatalog::kLive.count()});
  query.Into(replica.id).Into(replica.address).Into(replica.version).Into(replica.schema_step);
  query.Into(replica.started_at).Into(replica.seen_at).Into(feed_age).Into(clock_ahead);
  std::string settings;
  query.Into(settings);
  while (query.Next()) {
    ASSIGN_OR_RETURN(replica.settings, ReadSettings(settings));
    replica.feed_age = std::chrono::milliseconds(feed_age);
    replica.clock_ahead = std::chrono::milliseconds(clock_ahead);
    replicas.push_back(replica);
  }
  return replicas;
}

}  // namespace

Task<std::chrono::milliseconds> SqlDatabaseTime::AskTime() {
  return transactions_.Read(&sql::AskTime);
}

}  // namespace koya::sql

namespace koya {

Task<Installation> InstallationCatalog::AdoptInstallation(Installation made) {
  return transactions_.Write(&sql::AdoptInstallation, std::move(made));
}

Task<void> InstallationCatalog::MarkInstallation(std::string replaced, std::string mark) {
  return transactions_.Write(&sql::MarkInstallation, std::move(replaced), std::move(mark));
}

Task<std::optional<StorageMismatch>> InstallationCatalog::KeepBlobsIn(std::string storage) {
  return transactions_.Write(&sql::KeepBlobsIn, std::move(storage));
}

Task<FreezeState> InstallationCatalog::FindFreeze() { return transactions_.Read(&sql::FindFreeze); }

Task<FreezeState> InstallationCatalog::SetFreeze(Actor by, bool frozen, std::string reason) {
  return transactions_.Write(&sql::SetFreeze, std::move(by), frozen, std::move(reason));
}

Task<std::vector<std::string>> ReplicaCatalog::ListMissingMigrations() {
  return transactions_.Read(&sql::ListMissingMigrations);
}

Task<std::vector<std::string>> ReplicaCatalog::KeepReplica(ReplicaRecord replica,
                                                           std::chrono::seconds lease_life) {
  return transactions_.Write(&sql::KeepReplica, std::move(replica), lease_life);
}

Task<void> ReplicaCatalog::RemoveReplica(std::string id) {
  return transactions_.Write(&sql::RemoveReplica, std::move(id));
}

Task<std::vector<ReplicaRecord>> ReplicaCatalog::ListReplicas() {
  return transactions_.Read(&sql::ListReplicas);
}

}  // namespace koya
