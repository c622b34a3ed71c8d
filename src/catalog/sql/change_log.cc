#include "catalog/sql/change_log.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "catalog/sql/query.h"
#include "domain/topic.h"

namespace koya::sql {
namespace {

// Without it, a reader could see number 12 before a slower transaction commits 11, and never look
// for 11 again.
constexpr Statement kTakeTurns{"lock_changes", "SELECT pg_advisory_xact_lock(5427002)"};
constexpr Statement kAppend{"append_change",
                            "INSERT INTO change (topic) VALUES (:topic) RETURNING sequence"};
constexpr Statement kForget{"forget_changes", "DELETE FROM change WHERE sequence <= :sequence"};
constexpr Statement kNotify{"notify_change", "NOTIFY koya_change"};
constexpr Statement kLatest{"latest_change", "SELECT COALESCE(MAX(sequence), 0) FROM change"};
constexpr Statement kSince{"changes_since",
                           "SELECT sequence, topic FROM change WHERE sequence > :sequence "
                           "ORDER BY sequence LIMIT 1000"};

constexpr std::int64_t kForgetEvery = 100;
// What others have committed is known within a second, the time of a read included
// (service/token_cache.h).
constexpr std::chrono::milliseconds kLongestWait{400};

Result<std::int64_t> LatestChange(Session& session) {
  std::int64_t sequence = 0;
  Query query(session, kLatest);
  query.Into(sequence).Next();
  return sequence;
}

}  // namespace

void AppendChange(Session& session, const std::string& topic) {
  const bool shared = session.dialect() == Dialect::kPostgres;
  if (shared) session.Run(kTakeTurns);
  std::int64_t sequence = 0;
  {
    Query append(session, kAppend);
    append.Use(topic).Into(sequence).Next();
  }
  session.changes().push_back({sequence, topic});
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

Result<std::vector<Change>> ChangesSince(Session& session, std::int64_t sequence) {
  std::vector<Change> changes;
  Change change;
  Query query(session, kSince);
  query.Use(sequence).Into(change.sequence).Into(change.topic);
  while (query.Next()) changes.push_back(change);
  // Numbers may have gaps, so a missing number alone proves nothing; being far behind does.
  if (!changes.empty() && changes.front().sequence > sequence + 1) {
    ASSIGN_OR_RETURN(std::int64_t latest, LatestChange(session));
    if (sequence < latest - kKeptChanges)
      return std::vector{Change{latest, std::string(kEverything)}};
  }
  return changes;
}

void SqlChangeLog::SetListener(std::function<void(const std::vector<Change>&)> listener) {
  transactions_.SetListener(std::move(listener));
}

Task<std::int64_t> SqlChangeLog::LatestChange() { return transactions_.Read(&sql::LatestChange); }

Task<std::vector<Change>> SqlChangeLog::ChangesSince(std::int64_t sequence) {
  return transactions_.Read(&sql::ChangesSince, sequence);
}

Task<void> SqlChangeLog::WaitForChange() {
  co_await transactions_.signal().Wait(kLongestWait);
  co_return Status();
}

}  // namespace koya::sql
