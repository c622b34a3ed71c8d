#include "catalog/sql/mirror/mirror_counts.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr std::size_t kLongestId = 600;

constexpr Statement kTakeCounts{
    "take_mirror_counts",
    "INSERT INTO usage_batch (id, taken_at) VALUES (:id, {{now}}) ON CONFLICT (id) DO NOTHING"};
constexpr Statement kAddCount{
    "add_mirror_count",
    "INSERT INTO mirror_count (day, kind, count, bytes) "
    "VALUES (:day, :kind, :count, :bytes) ON CONFLICT (day, kind) DO UPDATE SET "
    "count = mirror_count.count + excluded.count, bytes = mirror_count.bytes + excluded.bytes"};
constexpr Statement kListCountDays{
    "list_mirror_days",
    "SELECT day, kind, count, bytes FROM mirror_count WHERE day >= :since ORDER BY day, kind"};
// 3 and 4: modules and providers of other registries.
constexpr Statement kCountReady{
    "count_mirror_ready",
    "SELECT COUNT(*), CAST(COALESCE(SUM(held), 0) AS BIGINT) FROM ("
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM upstream_module m JOIN upstream_module_version v "
    "ON v.module_id = m.id WHERE i.kind = 3 AND m.module_key = i.address "
    "AND v.version = i.version AND v.held = 1) "
    "OR EXISTS (SELECT 1 FROM upstream_provider p JOIN upstream_release r "
    "ON r.provider_id = p.id JOIN upstream_package k ON k.release_id = r.id "
    "WHERE i.kind = 4 AND p.provider_key = i.address AND r.version = i.version "
    "AND k.held = 1) THEN 1 ELSE 0 END AS held "
    "FROM usage_item i WHERE i.kind IN (3, 4) AND i.last_day >= :since) AS fetched"};
static_assert(static_cast<int>(UsageKind::kMirroredModule) == 3 &&
              static_cast<int>(UsageKind::kMirroredProvider) == 4);
constexpr Statement kRemoveCounts{"remove_mirror_counts",
                                  "DELETE FROM mirror_count WHERE day < :day"};

// In the order of the map, so that no two servers wait for each other.
Result<bool> AddMirrorCounts(Session& session, const MirrorCountBatch& batch) {
  RETURN_IF_ERROR(CheckStorable("a batch's id", batch.id));
  if (batch.id.size() > kLongestId) {
    return Fail(ErrorKind::kInvalid, "a batch's id has 600 bytes at most");
  }
  if (Query(session, kTakeCounts).Use(batch.id).Run() == 0) return false;
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> sums;
  for (const MirrorCount& row : batch.rows) {
    auto& [count, bytes] = sums[{row.day, static_cast<std::int64_t>(row.kind)}];
    count += static_cast<std::int64_t>(row.count);
    bytes += static_cast<std::int64_t>(row.bytes);
  }
  for (const auto& [key, sum] : sums) {
    const auto& [day, kind] = key;
    Query(session, kAddCount).Use(day).Use(kind).Use(sum.first).Use(sum.second).Run();
  }
  return true;
}

Result<std::vector<MirrorCount>> ListMirrorDays(Session& session, UsageDay since) {
  std::vector<MirrorCount> counts;
  MirrorCount row;
  std::int64_t kind = 0;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  Query query(session, kListCountDays);
  query.Use(since).Into(row.day).Into(kind).Into(count).Into(bytes);
  while (query.Next()) {
    row.kind = static_cast<MirrorCountKind>(kind);
    row.count = static_cast<std::uint64_t>(count);
    row.bytes = static_cast<std::uint64_t>(bytes);
    counts.push_back(row);
  }
  return counts;
}

Result<MirrorReadiness> CountReady(Session& session, UsageDay since) {
  std::int64_t fetched = 0;
  std::int64_t held = 0;
  Query query(session, kCountReady);
  query.Use(since).Into(fetched).Into(held).Next();
  return MirrorReadiness{static_cast<std::uint64_t>(fetched), static_cast<std::uint64_t>(held)};
}

Status RemoveMirrorCountsBefore(Session& session, UsageDay day) {
  Query(session, kRemoveCounts).Use(day).Run();
  return {};
}

}  // namespace

Task<bool> SqlMirrorCounts::AddMirrorCounts(MirrorCountBatch batch) {
  return transactions_.Write(&sql::AddMirrorCounts, std::move(batch));
}

Task<std::vector<MirrorCount>> SqlMirrorCounts::ListMirrorDays(UsageDay since) {
  return transactions_.Read(&sql::ListMirrorDays, since);
}

Task<MirrorReadiness> SqlMirrorCounts::CountReady(UsageDay since) {
  return transactions_.Read(&sql::CountReady, since);
}

Task<void> SqlMirrorCounts::RemoveMirrorCountsBefore(UsageDay day) {
  return transactions_.Write(&sql::RemoveMirrorCountsBefore, day);
}

}  // namespace koya::sql
