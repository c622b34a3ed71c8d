// One unit of work on one session: a statement that reads, or a transaction. The one place where
// SOCI's exceptions become Errors.
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "catalog/sql/session.h"

namespace koya::sql {

enum class Access { kRead, kWrite };

// Does the work; returns whether to commit. May be called a second time, from the start, when the
// connection turns out to be lost.
using Unit = std::function<bool(Session&)>;
// Whose the work is, for who may give up on it while there is no connection.
struct Claim {
  // Called when the connection is there, before the work is done: false when nobody waits for it
  // any longer.
  std::function<bool()> take = [] { return true; };
  // Called when the work must be done again, on a connection that is yet to be opened.
  std::function<void()> give_back = [] {};
};

struct UnitOutcome {
  Status status;
  // Set when the database did not answer: it hangs, is unreachable, or locked. What to tell those
  // who are not let through to it.
  std::optional<Error> silence;
};

// Blocks, until Session::Cut() at the latest; only connecting has a time limit of its own.
// A write that was cut off while it committed is in doubt: kUnavailable, and nobody may conclude
// that it did not happen.
UnitOutcome RunUnit(Session& session, Access access, const Unit& unit, const Claim& claim);

// What is told when a unit's time is over.
Error TooLate(Access access);

}  // namespace koya::sql
