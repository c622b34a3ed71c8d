// The catalog's schema, as numbered steps that only go forward (catalog/migrations/NNNN_….sql).
//
// Servers of two versions may run on one database while one replaces the other. So a step says, in
// its line "-- kind: expand, floor: 3", what it does to programs that do not know it: an expand
// step only adds what they need not know; a contract step takes away or changes. The floor is the
// last step that a program must know to run on the schema as this step leaves it.
// A contract step waits until no program serves that does not know it, so every program must run
// without the contract steps that it brings, and no expand step may build on one of the same
// release.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/sql/session.h"

namespace koya::sql {

enum class MigrationKind { kExpand, kContract };

struct Migration {
  std::int64_t number = 0;
  std::string_view name;  // the file's name
  std::string_view text;  // with {{words}}
  MigrationKind kind = MigrationKind::kExpand;
  std::int64_t floor = 0;  // 0: its own number
};

// All of them, in order, embedded at build time.
std::span<const Migration> AllMigrations();

enum class ContractSteps {
  kWhenUnknownToNobody,  // only what every live row of `replica` knows
  kNow,                  // whoever serves meanwhile
};

struct MigrationReport {
  std::vector<std::string> taken;  // names, in order
  // Left for later: contract steps that somebody who serves does not know.
  std::vector<std::string> waiting;
};

// Brings the schema up to the last of `migrations`. Runs inside one write transaction of the
// caller: all steps are taken that may be, or none. Servers that start at the same time take turns,
// however long that is; a table that somebody uses is waited for 2 s at most, since whoever comes
// later to it waits behind us, and all are taken at once, within half a second, so that nobody is
// cut off who holds another. `had_turn`, unless null, is set once it is our turn.
// A schema that is newer than this program is left as it is, provided that its floor is a step that
// this program knows. Fails: kRefused when it is not; kCorrupt when a step that was taken had
// another text. Throws as SOCI does.
Result<MigrationReport> Migrate(Session& session, std::span<const Migration> migrations,
                                ContractSteps contract = ContractSteps::kWhenUnknownToNobody,
                                bool* had_turn = nullptr);

// What somebody must know of who serves from this catalog, each a step that added it: whoever does
// not would show what is private, take an account's token for anybody's, look for archives in
// another place, or remove what only docs name.
enum class NeededStep : std::int64_t { kAccounts = 5, kInstallation = 11, kDocs = 16 };

// To be called where the catalog begins to need it: from now on programs that do not know the step
// are refused by its floor when they start (ADR 43). Does nothing after the first time, and locks
// nothing then. Throws as SOCI does.
void RaiseFloor(Session& session, NeededStep step);

// Takes no step: looks for what was not taken. `waiting` has expand steps only, since a program
// runs without its contract steps. Fails and throws as Migrate.
Result<MigrationReport> FindMissingSteps(Session& session, std::span<const Migration> migrations);

}  // namespace koya::sql
