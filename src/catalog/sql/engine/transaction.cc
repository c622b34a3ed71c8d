#include "catalog/sql/engine/transaction.h"

#include <string_view>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kBegin{"begin", "{{begin write}}"};
constexpr Statement kCommit{"commit", "{{commit}}"};
constexpr Statement kRollback{"rollback", "ROLLBACK"};
constexpr Statement kJoin{"join", "SAVEPOINT joined"};
constexpr Statement kRelease{"release", "RELEASE joined"};
constexpr Statement kUndo{"undo", "ROLLBACK TO joined; RELEASE joined"};

constexpr unsigned kRetryAfter = 2;

Error InDoubt(std::string detail, LimitName limit) {
  return {.kind = ErrorKind::kUnavailable,
          .message =
              "the server's database stopped responding while this was being stored: it may have "
              "been stored, or not; repeat the command to find out",
          .detail = std::move(detail),
          .retry_after = kRetryAfter,
          .limit = limit};
}

// Leaves the session fit for its next use, whatever happened in it.
void RollBack(Session& session) {
  if (!session.connected()) return;
  try {
    session.Run(kRollback);
  } catch (const std::exception&) {
    session.Disconnect();
  }
}

struct Attempt {
  TransactionResult outcome;
  bool again = false;
};

// How far an attempt came.
struct Progress {
  bool was_idle = false;  // the connection was there from before, and may have been cut since
  bool joined = false;    // work of others is part of it
  bool committing = false;
};

Attempt Explain(Session& session, Access access, Progress progress,
                const std::exception& exception) {
  soci::session* connection = session.connected() ? &session.connection_in_trouble() : nullptr;
  Fault fault = session.engine().Explain(exception, connection);
  const bool unreachable = connection == nullptr && fault.error.kind == ErrorKind::kUnavailable;
  const bool cut = session.cut();
  const bool lost = fault.connection_lost || cut;
  const std::string_view statement = session.running();
  if (lost) {
    session.Disconnect();
  } else if (access == Access::kWrite) {
    RollBack(session);
  }
  // Nothing was done before COMMIT was sent, so a new connection may be tried. After that the
  // outcome is unknown, and only the caller can look.
  const bool in_doubt = lost && progress.committing && access == Access::kWrite;
  Attempt attempt;
  attempt.outcome.apart = progress.joined && !in_doubt;
  if (attempt.outcome.apart) return attempt;
  attempt.again = lost && progress.was_idle && !in_doubt && !cut;
  if (cut) {
    std::string detail = std::move(fault.error.detail);
    fault.error = TooLate(access);
    fault.error.detail = std::move(detail);
  }
  if (cut || unreachable || fault.locked) attempt.outcome.silence = fault.error;
  if (in_doubt) fault.error = InDoubt(std::move(fault.error.detail), fault.error.limit);
  attempt.outcome.status = Failure(std::move(fault.error).During(statement));
  return attempt;
}

// Throws when a transaction that joined cannot be undone by itself.
void RunJoining(Session& session, const Claim& claim, bool& joined) {
  while (const Transaction* next = claim.join()) {
    joined = true;
    session.Run(kJoin);
    Status outcome;
    bool commit = false;
    try {
      commit = (*next)(session);
    } catch (const std::exception& exception) {
      Fault fault = session.engine().Explain(exception, &session.connection_in_trouble());
      if (fault.connection_lost || fault.locked || session.cut()) throw;
      outcome = Failure(std::move(fault.error).During(session.running()));
    }
    session.Run(commit ? kRelease : kUndo);
    claim.joined(std::move(outcome));
  }
  session.connection();  // no COMMIT after a cut, which would leave all of them in doubt
}

Attempt TryUnit(Session& session, Access access, const Transaction& unit, const Claim& claim) {
  Progress progress{.was_idle = session.connected()};
  try {
    session.connection();
    if (!claim.take()) return {};
    session.PrepareUnit();
    if (access == Access::kWrite) session.Run(kBegin);
    bool commit = unit(session);
    if (commit && access == Access::kWrite) RunJoining(session, claim, progress.joined);
    progress.committing = commit;
    if (access == Access::kWrite) session.Run(commit ? kCommit : kRollback);
    return {};
  } catch (const std::exception& exception) {
    return Explain(session, access, progress, exception);
  }
}

}  // namespace

Error TooLate(Access access) {
  return {.kind = ErrorKind::kUnavailable,
          .message = "the server's catalog did not respond in time: try again later",
          .retry_after = kRetryAfter,
          .limit = access == Access::kRead ? LimitName("catalog.read_timeout")
                                           : LimitName("catalog.write_timeout")};
}

TransactionResult RunUnit(Session& session, Access access, const Transaction& unit,
                          const Claim& claim) {
  Attempt attempt = TryUnit(session, access, unit, claim);
  if (attempt.again) {
    claim.give_back();
    attempt = TryUnit(session, access, unit, claim);
  }
  // Cut at the last moment, after all was done: the connection is of no further use.
  if (session.cut()) session.Disconnect();
  return std::move(attempt.outcome);
}

namespace {

// The number only has to differ from those of change_log.cc and migrations.cc.
constexpr Statement kTakeTurnsWithAccess{"lock_access", "SELECT pg_advisory_xact_lock(5427004)"};

}  // namespace

void LockAccess(Session& session) {
  if (session.dialect() == Dialect::kPostgres) session.Run(kTakeTurnsWithAccess);
}

namespace {

// Locks of two numbers have their own space, beside that of the single numbers in change_log.cc and
// migrations.cc. Namespaces that share a hash take turns too, which does no harm.
constexpr Statement kTakeTurnsInNamespace{
    "lock_namespace", "SELECT COUNT(*) FROM pg_advisory_xact_lock(5427003, hashtext(:namespace))"};

}  // namespace

void LockNamespace(Session& session, const std::string& ns) {
  if (session.dialect() != Dialect::kPostgres) return;
  std::int64_t count = 0;
  Query query(session, kTakeTurnsInNamespace);
  query.Use(ns).Into(count).Next();
}

}  // namespace koya::sql
