#include "catalog/sql/usage/usage_catalog.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr std::size_t kMostText = 200;
constexpr std::size_t kMostTogether = 1000;

constexpr Statement kAddToSum{
    "add_to_sent_bytes",
    "UPDATE sent_bytes SET bytes = bytes + :more WHERE day = :day AND sent_to = :sent_to"};
constexpr Statement kCountSums{"count_sent_bytes",
                               "SELECT COUNT(*) FROM sent_bytes WHERE day = :day"};
constexpr Statement kBeginSum{
    "begin_sent_bytes",
    "INSERT INTO sent_bytes (day, sent_to, bytes) VALUES (:day, :sent_to, :bytes) "
    "ON CONFLICT (day, sent_to) DO UPDATE SET bytes = sent_bytes.bytes + excluded.bytes"};
constexpr Statement kFindSums{
    "find_sent_bytes",
    "SELECT sent_to, bytes FROM sent_bytes WHERE day = :day AND sent_to IN "
    "(SELECT element FROM {{elements of}} :list {{end of elements}})"};
// By the database's clock: a server whose own is wrong must not take away what others count.
constexpr Statement kForgetSums{
    "forget_sent_bytes",
    "DELETE FROM sent_bytes WHERE (day, sent_to) IN (SELECT day, sent_to FROM sent_bytes "
    "WHERE day < {{now}} / 86400 - 1 ORDER BY day, sent_to LIMIT 1000 {{for update skip locked}})"};

Status CheckRequest(const std::vector<SentBytes>& more) {
  if (more.size() > kMostTogether) {
    return FailInvalid("at most 1000 sums can be added at once");
  }
  for (const SentBytes& sent : more) {
    RETURN_IF_ERROR(CheckStorable("the name that bytes are counted for", sent.to));
    if (sent.to.size() > kMostText) {
      return FailInvalid("the name that bytes are counted for has 200 bytes at most");
    }
  }
  return {};
}

bool AddToSum(Session& session, std::int64_t day, const SentBytes& sent) {
  Query query(session, kAddToSum);
  return query.Use(static_cast<std::int64_t>(sent.bytes)).Use(day).Use(sent.to).Run() != 0;
}

std::size_t CountSums(Session& session, std::int64_t day) {
  std::int64_t count = 0;
  Query query(session, kCountSums);
  query.Use(day).Into(count);
  query.Next();
  return static_cast<std::size_t>(count);
}

// Rows are locked in the order of their texts, each before the next is looked for, so that no two
// servers wait for each other: one that is not there yet may be another's, who has not ended.
void Add(Session& session, std::int64_t day, std::vector<SentBytes> more) {
  std::erase_if(more, [](const SentBytes& sent) { return sent.bytes == 0; });
  std::ranges::sort(more, {}, &SentBytes::to);
  std::optional<std::size_t> count;
  for (const SentBytes& sent : more) {
    if (AddToSum(session, day, sent)) continue;
    if (!count) count = CountSums(session, day);
    if ((*count)++ >= SentBytesCatalog::kMostOfDay) continue;
    Query query(session, kBeginSum);
    query.Use(day).Use(sent.to).Use(static_cast<std::int64_t>(sent.bytes)).Run();
  }
}

std::map<std::string, std::uint64_t> FindSums(Session& session, std::int64_t day,
                                              const std::vector<SentBytes>& of) {
  std::vector<std::string> texts;
  texts.reserve(of.size());
  for (const SentBytes& sent : of) texts.push_back(sent.to);
  const std::string list = JsonList(texts);
  std::map<std::string, std::uint64_t> sums;
  std::string to;
  std::int64_t bytes = 0;
  Query query(session, kFindSums);
  query.Use(day).Use(list).Into(to).Into(bytes);
  while (query.Next()) sums[to] = static_cast<std::uint64_t>(bytes);
  return sums;
}

Result<std::vector<std::uint64_t>> AddSentBytes(Session& session, std::int64_t day,
                                                const std::vector<SentBytes>& more) {
  RETURN_IF_ERROR(CheckRequest(more));
  Add(session, day, more);
  std::map<std::string, std::uint64_t> sums = FindSums(session, day, more);
  Query(session, kForgetSums).Run();
  std::vector<std::uint64_t> in_order;
  in_order.reserve(more.size());
  for (const SentBytes& sent : more) in_order.push_back(std::max(sums[sent.to], sent.bytes));
  return in_order;
}

}  // namespace

Task<std::vector<std::uint64_t>> SqlSentBytes::AddSentBytes(std::int64_t day,
                                                            std::vector<SentBytes> more) {
  return transactions_.Write(&sql::AddSentBytes, day, std::move(more));
}

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
using CountKindCell = PlainCell<MirrorCountKind, std::int64_t, ColumnType::kNumber>;
constexpr auto kCountColumns = Columns(
    ReadColumn<&MirrorCount::day>("day"), ReadColumn<&MirrorCount::kind, CountKindCell>("kind"),
    ReadColumn<&MirrorCount::count>("count"), ReadColumn<&MirrorCount::bytes>("bytes"));
constexpr auto kListCountDays = Sql("list_mirror_days", "SELECT ", kSelect<kCountColumns>,
                                    " FROM mirror_count WHERE day >= :since ORDER BY day, kind");
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

constexpr Statement kAddRuleCount{
    "add_policy_count",
    "INSERT INTO policy_count (revision, rule, held, refused) "
    "VALUES (:revision, :rule, :held, :refused) ON CONFLICT (revision, rule) DO UPDATE SET "
    "held = policy_count.held + excluded.held, refused = policy_count.refused + excluded.refused"};
constexpr auto kRuleColumns = Columns(
    ReadColumn<&PolicyRuleCount::revision>("revision"), ReadColumn<&PolicyRuleCount::rule>("rule"),
    ReadColumn<&PolicyRuleCount::held>("held"), ReadColumn<&PolicyRuleCount::refused>("refused"));
constexpr auto kListRuleCounts = Sql("list_policy_counts", "SELECT ", kSelect<kRuleColumns>,
                                     " FROM policy_count WHERE revision = :revision ORDER BY rule");

// In the order of the map, as below.
Status AddRuleCounts(Session& session, const std::vector<PolicyRuleCount>& rules) {
  std::map<std::pair<std::int64_t, std::string_view>, std::pair<std::int64_t, std::int64_t>> sums;
  for (const PolicyRuleCount& row : rules) {
    RETURN_IF_ERROR(CheckStorable("a rule's name", row.rule));
    auto& [held, refused] = sums[{row.revision, row.rule}];
    held += static_cast<std::int64_t>(row.held);
    refused += static_cast<std::int64_t>(row.refused);
  }
  for (const auto& [key, sum] : sums) {
    Query query(session, kAddRuleCount);
    query.Use(key.first).Use(std::string(key.second)).Use(sum.first).Use(sum.second).Run();
  }
  return {};
}

// In the order of the map, so that no two servers wait for each other.
Result<bool> AddMirrorCounts(Session& session, const MirrorCountBatch& batch) {
  RETURN_IF_ERROR(CheckStorable("a batch's id", batch.id));
  if (batch.id.size() > kLongestId) {
    return FailInvalid("a batch's id has 600 bytes at most");
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
  RETURN_IF_ERROR(AddRuleCounts(session, batch.rules));
  return true;
}

Result<std::vector<MirrorCount>> ListMirrorDays(Session& session, UsageDay since) {
  Query query(session, kListCountDays);
  query.Use(since);
  return ReadRecords(query, kCountColumns);
}

Result<MirrorReadiness> CountReady(Session& session, UsageDay since) {
  std::int64_t fetched = 0;
  std::int64_t held = 0;
  Query query(session, kCountReady);
  query.Use(since).Into(fetched).Into(held).Next();
  return MirrorReadiness{static_cast<std::uint64_t>(fetched), static_cast<std::uint64_t>(held)};
}

Result<std::vector<PolicyRuleCount>> ListRuleCounts(Session& session, std::int64_t revision) {
  Query query(session, kListRuleCounts);
  query.Use(revision);
  return ReadRecords(query, kRuleColumns);
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

Task<std::vector<PolicyRuleCount>> SqlMirrorCounts::ListRuleCounts(std::int64_t revision) {
  return transactions_.Read(&sql::ListRuleCounts, revision);
}

}  // namespace koya::sql
