#include "catalog/sql/usage/usage_catalog.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr std::size_t kMostBytes = 600;  // of one text
constexpr std::size_t kMostAddresses = 1000;
enum class NameKind : std::int64_t { kPrincipal = 1, kLabel = 2 };

constexpr Statement kTakeBatch{
    "take_usage_batch",
    "INSERT INTO usage_batch (id, taken_at) VALUES (:id, {{now}}) ON CONFLICT (id) DO NOTHING"};
constexpr Statement kForgetBatches{"forget_usage_batches",
                                   "DELETE FROM usage_batch WHERE taken_at < {{now}} - 86400"};
constexpr Statement kAddItem{
    "add_usage_item",
    "INSERT INTO usage_item (kind, address, version, namespace, fetches, archives, last_day) "
    "VALUES (:kind, :address, :version, :namespace, :fetches, :archives, :day) "
    "ON CONFLICT (kind, address, version) DO UPDATE SET "
    "fetches = usage_item.fetches + excluded.fetches, "
    "archives = usage_item.archives + excluded.archives, "
    "last_day = CASE WHEN excluded.last_day > usage_item.last_day THEN excluded.last_day "
    "ELSE usage_item.last_day END RETURNING id"};
constexpr Statement kFindName{
    "find_usage_name", "SELECT id, last_day FROM usage_name WHERE kind = :kind AND name = :name"};
constexpr Statement kAddName{
    "add_usage_name",
    "INSERT INTO usage_name (kind, name, last_day) VALUES (:kind, :name, :day) "
    "ON CONFLICT (kind, name) DO UPDATE SET last_day = CASE "
    "WHEN excluded.last_day > usage_name.last_day THEN excluded.last_day "
    "ELSE usage_name.last_day END RETURNING id"};
constexpr Statement kAddRow{
    "add_usage",
    "INSERT INTO usage_day (item, day, principal, label, client, fetches, archives) "
    "VALUES (:item, :day, :principal, :label, :client, :fetches, :archives) "
    "ON CONFLICT (item, day, principal, label, client) DO UPDATE SET "
    "fetches = usage_day.fetches + excluded.fetches, "
    "archives = usage_day.archives + excluded.archives"};

// What follows is parameters and "…": the items that are asked for.
#define KOYA_SUMS(days_of, months_of)                                                        \
  "SELECT items.kind, items.address, items.version, items.namespace, "                       \
  "COALESCE(principals.name, ''), COALESCE(labels.name, ''), sums.client, sums.fetches, "    \
  "sums.archives, sums.last_day FROM ("                                                      \
  "SELECT item, principal, label, client, CAST(SUM(fetches) AS BIGINT) AS fetches, "         \
  "CAST(SUM(archives) AS BIGINT) AS archives, MAX(day) AS last_day FROM usage_day "          \
  "WHERE day >= :since AND item IN (SELECT id FROM usage_item WHERE " days_of                \
  ") GROUP BY item, principal, label, client UNION ALL "                                     \
  "SELECT item, 0, 0, client, CAST(SUM(fetches) AS BIGINT), CAST(SUM(archives) AS BIGINT), " \
  "MAX(month) FROM usage_month WHERE month >= :since_month AND item IN "                     \
  "(SELECT id FROM usage_item WHERE " months_of                                              \
  ") GROUP BY item, client) AS sums "                                                        \
  "JOIN usage_item AS items ON items.id = sums.item "                                        \
  "LEFT JOIN usage_name AS principals ON principals.id = sums.principal "                    \
  "LEFT JOIN usage_name AS labels ON labels.id = sums.label "                                \
  "ORDER BY sums.fetches DESC, items.kind, items.address, items.version, 5, 6, sums.client " \
  "LIMIT 100000"
static_assert(UsageFilter::kMostSums == 100'000);
constexpr Statement kListOfAddress{"list_usage_of_address",
                                   KOYA_SUMS("kind = :kind AND address = :address",
                                             "kind = :month_kind AND address = :month_address")};
constexpr Statement kListOfNamespace{
    "list_usage_of_namespace", KOYA_SUMS("namespace = :namespace", "namespace = :month_namespace")};
#undef KOYA_SUMS

// Bots have the highest numbers of all clients.
constexpr Statement kListDays{
    "list_usage_days",
    "SELECT day, CAST(SUM(fetches) AS BIGINT), CAST(SUM(archives) AS BIGINT) FROM ("
    "SELECT day, fetches, archives FROM usage_day WHERE day >= :since AND client < :bot AND item "
    "IN (SELECT id FROM usage_item WHERE kind = :kind AND address = :address) UNION ALL "
    "SELECT month, fetches, archives FROM usage_month WHERE month >= :since_month AND "
    "client < :month_bot AND item IN "
    "(SELECT id FROM usage_item WHERE kind = :month_kind AND address = :month_address)) AS days "
    "GROUP BY day ORDER BY day"};

// 1 and 2: modules and providers of here.
constexpr Statement kListLeaders{
    "list_usage_leaders",
    "SELECT items.kind, items.address, MIN(items.namespace), "
    "CAST(SUM(days.fetches) AS BIGINT) AS fetched FROM usage_day AS days "
    "JOIN usage_item AS items ON items.id = days.item "
    "WHERE days.day >= :since AND days.client < :bot AND items.kind IN (1, 2) "
    "GROUP BY items.kind, items.address HAVING SUM(days.fetches) > 0 "
    "ORDER BY fetched DESC, items.kind, items.address LIMIT :limit"};
static_assert(static_cast<int>(UsageKind::kModule) == 1 &&
              static_cast<int>(UsageKind::kProvider) == 2);

constexpr Statement kListTotals{
    "list_usage_totals",
    "SELECT address, CAST(SUM(fetches) AS BIGINT), CAST(SUM(archives) AS BIGINT), MAX(last_day) "
    "FROM usage_item WHERE kind = :kind AND "
    "address IN (SELECT element FROM {{elements of}} :list {{end of elements}}) "
    "GROUP BY address ORDER BY address"};
constexpr Statement kFindTotal{"find_usage_total",
                               "SELECT fetches, archives, last_day FROM usage_item "
                               "WHERE kind = :kind AND address = :address AND version = :version"};

// A month stands for its first day.
constexpr Statement kFindFirstDay{"find_first_usage_day",
                                  "SELECT MIN(first) FROM (SELECT MIN(day) AS first FROM usage_day "
                                  "UNION ALL SELECT MIN(month) FROM usage_month) AS days"};
constexpr Statement kFindOldDay{"find_old_usage_day",
                                "SELECT MIN(day) FROM usage_day WHERE day < :day"};
// A batch of a day as old as this comes from a clock that is wrong: if it comes between the two
// statements, its counts of that day are in the versions' totals only.
constexpr Statement kFoldDay{
    "fold_usage_day",
    "INSERT INTO usage_month (item, month, client, fetches, archives) "
    "SELECT item, CAST(:month AS BIGINT), client, CAST(SUM(fetches) AS BIGINT), "
    "CAST(SUM(archives) AS BIGINT) FROM usage_day WHERE day = :day GROUP BY item, client "
    "ON CONFLICT (item, month, client) DO UPDATE SET "
    "fetches = usage_month.fetches + excluded.fetches, "
    "archives = usage_month.archives + excluded.archives"};
constexpr Statement kRemoveDay{"remove_usage_day", "DELETE FROM usage_day WHERE day = :day"};
constexpr Statement kRemoveNames{"remove_usage_names",
                                 "DELETE FROM usage_name WHERE last_day < :day"};
constexpr Statement kRemoveMonths{"remove_usage_months",
                                  "DELETE FROM usage_month WHERE month < :month"};

#define KOYA_FORGOTTEN                                                   \
  "principal IN (SELECT id FROM usage_name WHERE kind = 1 AND name IN (" \
  "SELECT element FROM {{elements of}} :list {{end of elements}}))"
constexpr Statement kGiveToNobody{
    "give_usage_to_nobody",
    "INSERT INTO usage_day (item, day, principal, label, client, fetches, archives) "
    "SELECT item, day, 0, 0, client, CAST(SUM(fetches) AS BIGINT), CAST(SUM(archives) AS BIGINT) "
    "FROM usage_day WHERE " KOYA_FORGOTTEN
    " GROUP BY item, day, client "
    "ON CONFLICT (item, day, principal, label, client) DO UPDATE SET "
    "fetches = usage_day.fetches + excluded.fetches, "
    "archives = usage_day.archives + excluded.archives"};
constexpr Statement kForgetRows{"forget_usage", "DELETE FROM usage_day WHERE " KOYA_FORGOTTEN};
#undef KOYA_FORGOTTEN
constexpr Statement kForgetNames{"forget_usage_names",
                                 "DELETE FROM usage_name WHERE kind = 1 AND name IN "
                                 "(SELECT element FROM {{elements of}} :list {{end of elements}})"};
// Labels that only they had used.
constexpr Statement kForgetLabels{
    "forget_usage_labels",
    "DELETE FROM usage_name WHERE kind = 2 AND id NOT IN (SELECT label FROM usage_day)"};

// ---- adding

Status CheckText(std::string_view what, std::string_view text) {
  RETURN_IF_ERROR(CheckStorable(what, text));
  if (text.size() <= kMostBytes) return {};
  return FailInvalid("texts that are counted have 600 bytes at most");
}

Status CheckBatch(const UsageBatch& batch) {
  RETURN_IF_ERROR(CheckText("a batch's id", batch.id));
  if (batch.rows.size() > UsageBatch::kMostRows) {
    return FailInvalid("at most 1000 rows are added at once");
  }
  for (const UsageRow& row : batch.rows) {
    RETURN_IF_ERROR(CheckText("the fetched address", row.item.address));
    RETURN_IF_ERROR(CheckText("the fetched version", row.item.version));
    RETURN_IF_ERROR(CheckText("a namespace", row.item.ns));
    RETURN_IF_ERROR(CheckText("the caller", row.by.principal));
    RETURN_IF_ERROR(CheckText("a label", row.by.label));
  }
  return {};
}

std::int64_t Number(std::uint64_t count) { return static_cast<std::int64_t>(count); }

// What a batch has of one item, or of one name.
struct ItemShare {
  UsageCounts counts;
  UsageDay last_day = 0;
  std::int64_t id = 0;
};
struct NameShare {
  UsageDay last_day = 0;
  std::int64_t id = 0;  // 0: nothing's
};
using Name = std::pair<NameKind, std::string>;

void AddItem(Session& session, const UsageItem& item, ItemShare& share) {
  Query query(session, kAddItem);
  query.Use(static_cast<std::int64_t>(item.kind)).Use(item.address).Use(item.version).Use(item.ns);
  query.Use(Number(share.counts.fetches)).Use(Number(share.counts.archives)).Use(share.last_day);
  query.Into(share.id);
  query.Next();
}

// Most names exist: reading them locks nothing.
void AddName(Session& session, const Name& name, NameShare& share) {
  const auto kind = static_cast<std::int64_t>(name.first);
  if (name.second.empty()) return;
  UsageDay known_day = 0;
  Query find(session, kFindName);
  find.Use(kind).Use(name.second).Into(share.id).Into(known_day);
  if (find.Next() && known_day >= share.last_day) return;
  Query add(session, kAddName);
  add.Use(kind).Use(name.second).Use(share.last_day).Into(share.id);
  add.Next();
}

// Everything is written in an order, of the maps and of the rows, so that no two servers wait for
// each other.
Result<bool> AddUsage(Session& session, const UsageBatch& batch) {
  RETURN_IF_ERROR(CheckBatch(batch));
  if (Query(session, kTakeBatch).Use(batch.id).Run() == 0) return false;
  std::map<UsageItem, ItemShare> items;
  std::map<Name, NameShare> names;
  for (const UsageRow& row : batch.rows) {
    ItemShare& item = items[row.item];
    item.counts.fetches += row.counts.fetches;
    item.counts.archives += row.counts.archives;
    item.last_day = std::max(item.last_day, row.day);
    for (const Name& name :
         {Name{NameKind::kPrincipal, row.by.principal}, Name{NameKind::kLabel, row.by.label}}) {
      NameShare& share = names[name];
      share.last_day = std::max(share.last_day, row.day);
    }
  }
  for (auto& [item, share] : items) AddItem(session, item, share);
  for (auto& [name, share] : names) AddName(session, name, share);
  using Key = std::array<std::int64_t, 5>;
  std::map<Key, UsageCounts> rows;
  for (const UsageRow& row : batch.rows) {
    UsageCounts& sum =
        rows[{items[row.item].id, row.day, names[{NameKind::kPrincipal, row.by.principal}].id,
              names[{NameKind::kLabel, row.by.label}].id, row.by.client.number()}];
    sum.fetches += row.counts.fetches;
    sum.archives += row.counts.archives;
  }
  for (const auto& [key, sum] : rows) {
    Query query(session, kAddRow);
    for (std::int64_t number : key) query.Use(number);
    query.Use(Number(sum.fetches)).Use(Number(sum.archives)).Run();
  }
  return true;
}

// ---- reading

// Kinds are stored by their numbers.
using KindCell = PlainCell<UsageKind, std::int64_t, ColumnType::kNumber>;
using CountsCell = MembersCell<UsageCounts, &UsageCounts::fetches, &UsageCounts::archives>;
// The sums of what a statement selects, in its order.
constexpr auto kDayColumns =
    Columns(ReadColumn<&UsageDaySum::day>("day"),
            ReadColumn<&UsageDaySum::counts, CountsCell>("fetches", "archives"));
constexpr auto kTotalColumns =
    Columns(ReadColumn<&UsageTotal::address>("address"),
            ReadColumn<&UsageTotal::counts, CountsCell>("fetches", "archives"),
            ReadColumn<&UsageTotal::last_day>("last_day"));
constexpr auto kLeaderColumns = Columns(
    ReadColumn<&UsageLeader::kind, KindCell>("kind"), ReadColumn<&UsageLeader::address>("address"),
    ReadColumn<&UsageLeader::ns>("namespace"), ReadColumn<&UsageLeader::fetches>("fetched"));

Result<std::vector<UsageSum>> ListUsage(Session& session, const UsageFilter& filter) {
  const bool of_address = !filter.address.empty();
  std::vector<UsageSum> sums;
  if (!IsStorable(filter.address) || !IsStorable(filter.ns)) return sums;
  Query query(session, of_address ? kListOfAddress : kListOfNamespace);
  for (UsageDay since : {filter.since, MonthOf(filter.since)}) {
    query.Use(since);
    if (of_address) query.Use(static_cast<std::int64_t>(filter.kind)).Use(filter.address);
    if (!of_address) query.Use(filter.ns);
  }
  UsageSum sum;
  std::int64_t kind = 0;
  std::int64_t client = 0;
  std::int64_t fetches = 0;
  std::int64_t archives = 0;
  query.Into(kind).Into(sum.item.address).Into(sum.item.version).Into(sum.item.ns);
  query.Into(sum.by.principal).Into(sum.by.label).Into(client).Into(fetches).Into(archives);
  query.Into(sum.last_day);
  while (query.Next()) {
    sum.item.kind = static_cast<UsageKind>(kind);
    sum.by.client = UsageClient::FromNumber(client);
    sum.counts = {static_cast<std::uint64_t>(fetches), static_cast<std::uint64_t>(archives)};
    sums.push_back(sum);
  }
  return sums;
}

Result<std::vector<UsageDaySum>> ListUsageDays(Session& session, const UsageFilter& filter) {
  if (!IsStorable(filter.address)) return std::vector<UsageDaySum>();
  const std::int64_t first_bot = UsageClient(UsageClient::kFirstBot).number();
  Query query(session, kListDays);
  for (UsageDay since : {filter.since, MonthOf(filter.since)}) {
    query.Use(since).Use(first_bot).Use(static_cast<std::int64_t>(filter.kind));
    query.Use(filter.address);
  }
  return ReadRecords(query, kDayColumns);
}

Result<std::vector<UsageTotal>> ListUsageTotals(Session& session, UsageKind kind,
                                                const std::vector<std::string>& addresses) {
  if (addresses.size() > kMostAddresses) {
    return FailInvalid("totals can be requested for 1000 addresses at most");
  }
  for (const std::string& address : addresses) {
    RETURN_IF_ERROR(CheckText("an address", address));
  }
  const std::string list = JsonList(addresses);
  Query query(session, kListTotals);
  query.Use(static_cast<std::int64_t>(kind)).Use(list);
  return ReadRecords(query, kTotalColumns);
}

Result<std::vector<UsageLeader>> ListLeaders(Session& session, UsageDay since,
                                             std::uint64_t limit) {
  Query query(session, kListLeaders);
  query.Use(since).Use(UsageClient(UsageClient::kFirstBot).number());
  query.Use(static_cast<std::int64_t>(std::min(limit, UsageCatalog::kMostLeaders)));
  return ReadRecords(query, kLeaderColumns);
}

Result<UsageTotal> FindUsageTotal(Session& session, const UsageItem& item) {
  UsageTotal total{.address = item.address, .counts = {}};
  if (!IsStorable(item.address) || !IsStorable(item.version)) return total;
  std::int64_t fetches = 0;
  std::int64_t archives = 0;
  Query query(session, kFindTotal);
  query.Use(static_cast<std::int64_t>(item.kind)).Use(item.address).Use(item.version);
  query.Into(fetches).Into(archives).Into(total.last_day);
  if (query.Next()) {
    total.counts = {static_cast<std::uint64_t>(fetches), static_cast<std::uint64_t>(archives)};
  }
  return total;
}

Result<UsageDay> FindFirstUsageDay(Session& session) {
  std::optional<std::int64_t> day;
  Query query(session, kFindFirstDay);
  query.Into(day);
  query.Next();
  return day.value_or(0);
}

// ---- what goes

Result<bool> FoldUsageDay(Session& session, UsageDay before) {
  Query(session, kForgetBatches).Run();
  std::optional<std::int64_t> day;
  {
    Query query(session, kFindOldDay);
    query.Use(before).Into(day);
    query.Next();
  }
  if (!day) {
    Query(session, kRemoveNames).Use(before).Run();
    return false;
  }
  Query(session, kFoldDay).Use(MonthOf(*day)).Use(*day).Run();
  Query(session, kRemoveDay).Use(*day).Run();
  return true;
}

Status RemoveUsageBefore(Session& session, UsageDay day) {
  Query(session, kRemoveMonths).Use(day).Run();
  return {};
}

Result<std::uint64_t> ForgetUsageOf(Session& session, const Actor& by,
                                    const std::vector<std::string>& principals) {
  for (const std::string& name : principals) RETURN_IF_ERROR(CheckText("a principal", name));
  const std::string list = JsonList(principals);
  Query(session, kGiveToNobody).Use(list).Run();
  const std::int64_t rows = Query(session, kForgetRows).Use(list).Run();
  Query(session, kForgetNames).Use(list).Run();
  Query(session, kForgetLabels).Run();
  AuditFacts facts;
  facts.Add("rows", rows);
  AuditedChange change{.action = "usage.forget",
                       .target = principals.empty() ? "" : principals.front(),
                       .ns = "",
                       .before = facts.ToJson(),
                       .after = ""};
  RecordChange(session, by, change);
  return static_cast<std::uint64_t>(rows);
}

}  // namespace

Task<bool> SqlUsage::AddUsage(UsageBatch batch) {
  return transactions_.Write(&sql::AddUsage, std::move(batch));
}

Task<std::vector<UsageSum>> SqlUsage::ListUsage(UsageFilter filter) {
  return transactions_.Read(&sql::ListUsage, std::move(filter));
}

Task<std::vector<UsageDaySum>> SqlUsage::ListUsageDays(UsageFilter filter) {
  return transactions_.Read(&sql::ListUsageDays, std::move(filter));
}

Task<std::vector<UsageTotal>> SqlUsage::ListUsageTotals(UsageKind kind,
                                                        std::vector<std::string> addresses) {
  return transactions_.Read(&sql::ListUsageTotals, kind, std::move(addresses));
}

Task<std::vector<UsageLeader>> SqlUsage::ListLeaders(UsageDay since, std::uint64_t limit) {
  return transactions_.Read(&sql::ListLeaders, since, limit);
}

Task<UsageDay> SqlUsage::FindFirstUsageDay() { return transactions_.Read(&sql::FindFirstUsageDay); }

Task<UsageTotal> SqlUsage::FindUsageTotal(UsageItem item) {
  return transactions_.Read(&sql::FindUsageTotal, std::move(item));
}

Task<bool> SqlUsage::FoldUsageDay(UsageDay day) {
  return transactions_.Write(&sql::FoldUsageDay, day);
}

Task<void> SqlUsage::RemoveUsageBefore(UsageDay day) {
  return transactions_.Write(&sql::RemoveUsageBefore, day);
}

Task<std::uint64_t> SqlUsage::ForgetUsageOf(Actor by, std::vector<std::string> principals) {
  return transactions_.Write(&sql::ForgetUsageOf, std::move(by), std::move(principals));
}

}  // namespace koya::sql
