#include "catalog/sql/engine/change_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// Without it, a reader could see number 12 before a slower transaction commits 11, and never look
// for 11 again.
constexpr Statement kTakeTurns{"lock_changes", "SELECT pg_advisory_xact_lock(5427002)"};
constexpr Statement kAppend{
    "append_change", "INSERT INTO change (topic, mark) VALUES (:topic, :mark) RETURNING sequence"};
constexpr Statement kForget{"forget_changes", "DELETE FROM change WHERE sequence <= :sequence"};
constexpr Statement kNotify{"notify_change", "NOTIFY koya_change"};
constexpr Statement kLatest{"latest_change",
                            "SELECT sequence, mark FROM change "
                            "ORDER BY sequence DESC LIMIT 1"};
// The position itself comes first, if it is there.
constexpr Statement kSince{"changes_since",
                           "SELECT sequence, topic, mark FROM change "
                           "WHERE sequence >= :sequence ORDER BY sequence LIMIT 1001"};

constexpr Statement kFindServerRun{"find_server_run", "SELECT {{server run}}"};

constexpr std::int64_t kForgetEvery = 100;
// What others have committed is known within a second, the time of a read included
// (service/access/token_cache.h).
constexpr std::chrono::milliseconds kLongestWait{400};

// 64 random bits.
std::string MakeMark() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

Result<ChangePosition> LatestChange(Session& session) {
  ChangePosition latest;
  Query query(session, kLatest);
  query.Into(latest.sequence).Into(latest.mark).Next();
  return latest;
}

Result<std::string> FindServerRun(Session& session) {
  std::string run;
  Query(session, kFindServerRun).Into(run).Next();
  return run;
}

}  // namespace

void AppendChange(Session& session, const std::string& topic) {
  const bool shared = session.dialect() == Dialect::kPostgres;
  if (shared) session.Run(kTakeTurns);
  std::int64_t sequence = 0;
  std::string mark = MakeMark();
  {
    Query append(session, kAppend);
    append.Use(topic).Use(mark).Into(sequence).Next();
  }
  session.changes().push_back({sequence, topic, std::move(mark)});
  if (sequence % kForgetEvery == 0) {
    Query forget(session, kForget);
    forget.Use(sequence - kKeptChanges).Run();
  }
  if (shared) session.Run(kNotify);
}

void AppendChanges(Session& session, std::vector<std::string> topics) {
  std::ranges::sort(topics);
  const auto repeated = std::ranges::unique(topics);
  topics.erase(repeated.begin(), repeated.end());
  for (const std::string& topic : topics) AppendChange(session, topic);
}

Result<std::vector<Change>> ChangesSince(Session& session, const ChangePosition& after) {
  std::vector<Change> changes;
  {
    Change change;
    Query query(session, kSince);
    query.Use(after.sequence).Into(change.sequence).Into(change.topic).Into(change.mark);
    while (query.Next()) changes.push_back(change);
  }
  if (after.sequence == 0 && (changes.empty() || changes.front().sequence == 1)) {
    if (changes.size() > 1000) changes.pop_back();
    return changes;
  }
  if (!changes.empty() && changes.front().sequence == after.sequence &&
      changes.front().mark == after.mark) {
    changes.erase(changes.begin());
    return changes;
  }
  ASSIGN_OR_RETURN(ChangePosition latest, LatestChange(session));
  return std::vector{Change{latest.sequence, std::string(kEverything), std::move(latest.mark)}};
}

void SqlChangeLog::SetListener(std::function<void(const std::vector<Change>&)> listener) {
  transactions_.SetListener(std::move(listener));
}

Task<ChangePosition> SqlChangeLog::LatestChange() { return transactions_.Read(&sql::LatestChange); }

Task<std::vector<Change>> SqlChangeLog::ChangesSince(ChangePosition after) {
  return transactions_.Read(&sql::ChangesSince, std::move(after));
}

Task<std::string> SqlChangeLog::ServerRun() { return transactions_.Read(&FindServerRun); }

Task<void> SqlChangeLog::WaitForChange() {
  co_await transactions_.signal().Wait(kLongestWait);
  co_return Status();
}

}  // namespace koya::sql
