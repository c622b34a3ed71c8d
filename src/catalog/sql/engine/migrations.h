// Migrates the catalog's schema in numbered migrations that only go forward
// (catalog/migrations/NNNN_….sql).
//
// Servers of two versions may run on one database while one replaces the other. So a migration
// declares, in its line "-- kind: expand, floor: 1", how it affects programs that do not know it:
// an expand migration only adds things that they need not know; a contract migration removes or
// changes things. The floor is the last migration that a program must know to run on the schema as
// this migration leaves it.
// A contract migration waits until every running server knows it, so every program must run without
// the contract migrations that it brings, and no expand migration may build on one of the same
// release.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/sql/engine/session.h"

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
  kWhenUnknownToNobody,  // only those that every live row of `replica` knows
  kNow,                  // regardless of running servers
};

struct MigrationReport {
  std::vector<std::string> taken;  // names, in order
  // Deferred: contract migrations that a running server does not know.
  std::vector<std::string> waiting;
};

// Migrates the schema to the last of `migrations`. Runs within one write transaction of the caller:
// all permitted migrations run, or none. Servers that start at the same time take turns, however
// long that is. A table in use is waited for 2 s at most, since later users of it queue behind us;
// all tables are locked at once, within half a second, so that no transaction that holds another
// one is cut off. Sets `had_turn`, unless null, once it is our turn.
// A schema that is newer than this program is left unchanged, provided that its floor is a
// migration that this program knows. Fails: kRefused when it is not; kCorrupt when a migration that
// has run had another text, as in development versions. Throws as SOCI does.
Result<MigrationReport> Migrate(Session& session, std::span<const Migration> migrations,
                                ContractSteps contract = ContractSteps::kWhenUnknownToNobody,
                                bool* had_turn = nullptr);

// Runs no migration: finds the missing ones. `waiting` has expand migrations only, since a program
// runs without its contract migrations. Fails and throws as Migrate.
Result<MigrationReport> FindMissingSteps(Session& session, std::span<const Migration> migrations);

// The names of `migrations` that the schema lacks, contract migrations too. Throws as SOCI does.
std::vector<std::string> ListMissingSteps(Session& session, std::span<const Migration> migrations);

}  // namespace koya::sql
