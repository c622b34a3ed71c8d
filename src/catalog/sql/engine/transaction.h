// Runs one transaction on one session: a statement that reads, or a transaction that writes. The
// one place where SOCI's exceptions become Errors. Also the locks that serialize writers, where
// there is no row of theirs to lock.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/sql/engine/session.h"

namespace koya::sql {

enum class Access { kRead, kWrite };

// Does the work; returns whether to commit. May be called a second time, from the start, when the
// connection turns out to be lost, or when the transactions that were to commit together were
// undone.
using Transaction = std::function<bool(Session&)>;
// Ownership of the work, which its caller may give up while there is no connection; and further
// work that is committed with it.
struct Claim {
  // Called when the connection is open, before the work is done: false when its caller has given
  // up.
  std::function<bool()> take = [] { return true; };
  // Called when the work must be done again, on a connection that is yet to be opened.
  std::function<void()> give_back = [] {};
  // Called when a write is about to be committed, again and again until it returns null: the next
  // transaction to commit together with it. Each runs in a savepoint: one that fails, or that does
  // not want to be committed, undoes only itself. SQLite only.
  std::function<const Transaction*()> join = [] { return nullptr; };
  // Called after each, with its outcome, which holds if the common COMMIT succeeds.
  std::function<void(Status)> joined = [](Status) {};
};

struct TransactionResult {
  Status status;
  // Set when the database did not respond: it hangs, is unreachable, or locked. The error for
  // callers that the circuit breaker does not let through.
  std::optional<Error> silence;
  // Nothing is stored, because of a transaction that joined: run each by itself, from the start.
  bool apart = false;
};

// Blocks, until Session::Cut() at the latest; only connecting has its own time limit. The outcome
// of a write that was cut off while it committed is unknown: it fails with kUnavailable, but may
// have happened.
TransactionResult RunUnit(Session& session, Access access, const Transaction& unit,
                          const Claim& claim);

// The error of a transaction that timed out.
Error TooLate(Access access);

// Serializes changes to accounts, groups, grants, and who may sign in.
//
// Takes the lock, and holds it until the caller's write transaction ends. SQLite has one writer
// anyway. All these transactions append a change at their end, where writers are serialized too, so
// that waiting from the start costs them nothing, and what they read stays unchanged until they
// write. Call it before locking any row. Throws as SOCI does.
void LockAccess(Session& session);

// Serializes writers of one namespace.
//
// Takes the lock, and holds it until the caller's write transaction ends. SQLite has one writer
// anyway. Call it before locking any row: two transactions that lock in different orders would wait
// for each other. Throws as SOCI does.
void LockNamespace(Session& session, const std::string& ns);

}  // namespace koya::sql
