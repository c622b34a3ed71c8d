#include "catalog/sql/operate/replica_catalog.h"

#include <cstdint>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/operate/lease_catalog.h"
#include "domain/replica_record.h"
#include "domain/use.h"

namespace koya::sql {
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
    "clock_ahead_ms) VALUES (:id, :address, :version, :step, {{now}}, {{now}}, :age, :ahead) "
    "ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, address = excluded.address, "
    "feed_age_ms = excluded.feed_age_ms, clock_ahead_ms = excluded.clock_ahead_ms"};
constexpr Statement kRemoveOldReplicas{"remove_old_replicas",
                                       "DELETE FROM replica WHERE seen_at < {{now}} - :kept"};
constexpr Statement kRemoveReplica{"remove_replica", "DELETE FROM replica WHERE id = :id"};
constexpr Statement kListReplicas{
    "list_replicas",
    "SELECT id, address, version, schema_step, started_at, seen_at, feed_age_ms, clock_ahead_ms "
    "FROM replica WHERE seen_at >= {{now}} - :live ORDER BY address, id"};

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
  return Fail(ErrorKind::kConflict, "another server has marked the installation meanwhile");
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
  return Fail(ErrorKind::kUnavailable,
              "another server is just recording where blobs are stored: start again");
}

Result<std::vector<std::string>> KeepReplica(Session& session, const ReplicaRecord& replica,
                                             std::chrono::seconds lease_life) {
  for (const std::string* text : {&replica.id, &replica.address, &replica.version}) {
    RETURN_IF_ERROR(CheckStorable("the replica's texts", *text));
  }
  Query keep(session, kKeepReplica);
  keep.Use(replica.id).Use(replica.address).Use(replica.version).Use(replica.schema_step);
  keep.Use(std::int64_t{replica.feed_age.count()}).Use(std::int64_t{replica.clock_ahead.count()});
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
  while (query.Next()) {
    replica.feed_age = std::chrono::milliseconds(feed_age);
    replica.clock_ahead = std::chrono::milliseconds(clock_ahead);
    replicas.push_back(replica);
  }
  return replicas;
}

}  // namespace

Task<Installation> SqlReplicas::AdoptInstallation(Installation made) {
  return transactions_.Write(&sql::AdoptInstallation, std::move(made));
}

Task<void> SqlReplicas::MarkInstallation(std::string replaced, std::string mark) {
  return transactions_.Write(&sql::MarkInstallation, std::move(replaced), std::move(mark));
}

Task<std::optional<StorageMismatch>> SqlReplicas::KeepBlobsIn(std::string storage) {
  return transactions_.Write(&sql::KeepBlobsIn, std::move(storage));
}

Task<std::vector<std::string>> SqlReplicas::KeepReplica(ReplicaRecord replica,
                                                        std::chrono::seconds lease_life) {
  return transactions_.Write(&sql::KeepReplica, std::move(replica), lease_life);
}

Task<void> SqlReplicas::RemoveReplica(std::string id) {
  return transactions_.Write(&sql::RemoveReplica, std::move(id));
}

Task<std::vector<ReplicaRecord>> SqlReplicas::ListReplicas() {
  return transactions_.Read(&sql::ListReplicas);
}

}  // namespace koya::sql
