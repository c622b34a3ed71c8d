#include "catalog/sql/engine/migrations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "catalog/replica_catalog.h"
#include "catalog/sql/engine/query.h"
#include "domain/digest.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// Held until the transaction ends, without the usual limits: another server may be at it, and a
// step over a large table takes its time. The number only has to differ from change_log.cc's.
constexpr Statement kTakeTurnsMigrating{
    "lock_schema",
    "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; "
    "SELECT pg_advisory_xact_lock(5427001)"};
// A migration that waits for a table blocks all later users of the table.
constexpr Statement kHurrySteps{"hurry_steps", "SET LOCAL lock_timeout = '2s'"};
// Less than the second (deadlock_timeout) after which a transaction that waits for one of the
// tables, and holds another, would be cut off.
constexpr Statement kHurryAll{"hurry_all_tables", "SET LOCAL statement_timeout = '500ms'"};
constexpr Statement kTakeTime{"take_time", "SET LOCAL statement_timeout = 0"};
// With how they are written in statements.
constexpr Statement kListTables{"list_tables",
                                "SELECT tablename, quote_ident(tablename) FROM pg_tables WHERE "
                                "schemaname = current_schema() AND "
                                "pg_has_role(tableowner, 'USAGE') ORDER BY tablename"};
constexpr Statement kMakeTable{"make_schema_migration",
                               "CREATE TABLE IF NOT EXISTS schema_migration ("
                               "number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, "
                               "checksum TEXT NOT NULL, applied_at BIGINT NOT NULL, "
                               "kind TEXT NOT NULL, floor BIGINT NOT NULL)"};
constexpr Statement kCountColumns{"count_schema_migration_columns",
                                  "SELECT COUNT(*) FROM {{columns of}} 'schema_migration' "
                                  "{{end of columns}} WHERE column_name = 'floor'"};
constexpr Statement kCountReplicaColumns{"count_replica_columns",
                                         "SELECT COUNT(*) FROM {{columns of}} 'replica' "
                                         "{{end of columns}} WHERE column_name = 'schema_step'"};
constexpr Statement kLeastKnownStep{
    "least_known_step", "SELECT MIN(schema_step) FROM replica WHERE seen_at >= {{now}} - :live"};
constexpr Statement kListSteps{"list_schema_migrations",
                               "SELECT number, name, checksum, floor FROM schema_migration "
                               "ORDER BY number"};
constexpr Statement kAddStep{
    "add_schema_migration",
    "INSERT INTO schema_migration (number, name, checksum, applied_at, kind, floor) "
    "VALUES (:number, :name, :checksum, :applied_at, :kind, :floor)"};

std::string ChecksumOf(const Migration& migration) { return Digest::Of(migration.text).hex(); }

struct TakenStep {
  std::string name;
  std::string checksum;
  std::int64_t floor = 0;
};

bool Counts(Session& session, const Statement& statement) {
  std::int64_t count = 0;
  Query query(session, statement);
  query.Into(count).Next();
  return count != 0;
}

// The last migration that all live servers know; nullopt: there are none.
std::optional<std::int64_t> LeastKnownStep(Session& session) {
  if (!Counts(session, kCountReplicaColumns)) return std::nullopt;
  std::optional<std::int64_t> step;
  Query query(session, kLeastKnownStep);
  query.Use(std::int64_t{ReplicaCatalog::kLive.count()}).Into(step).Next();
  return step;
}

std::map<std::int64_t, TakenStep> ListSteps(Session& session) {
  std::map<std::int64_t, TakenStep> steps;
  std::int64_t number = 0;
  TakenStep step;
  Query query(session, kListSteps);
  query.Into(number).Into(step.name).Into(step.checksum).Into(step.floor);
  while (query.Next()) steps[number] = step;
  return steps;
}

// Whether this program may run on the schema. Another text comes before the floor: what a
// development version numbered says nothing about these migrations.
Status CheckTaken(const std::map<std::int64_t, TakenStep>& taken,
                  std::span<const Migration> migrations) {
  for (const Migration& migration : migrations) {
    auto step = taken.find(migration.number);
    if (step == taken.end() || step->second.checksum == ChecksumOf(migration)) continue;
    return FailCorrupt(
        "the catalog was written by a development version of koya{}: its "
        "migration {} ({}) is not this program's. Start that version, or "
        "start this one with an empty catalog",
        migration.number == 1 ? " before the first release" : "", migration.number,
        step->second.name);
  }
  std::int64_t floor = 0;
  for (const auto& [number, step] : taken) floor = std::max(floor, step.floor);
  const std::int64_t known = migrations.empty() ? 0 : migrations.back().number;
  if (floor <= known) return {};
  return FailRefused(
      "the catalog was written by a newer koya (its schema is at migration {} "
      "and needs a program that knows migration {}; this program knows "
      "migrations up to {}): start that version, or a later one",
      taken.rbegin()->first, floor, known);
}

// Those that the steps make. What others keep beside them is not ours to lock.
std::set<std::string, std::less<>> MadeBy(std::span<const Migration> migrations) {
  constexpr std::string_view kMake = "CREATE TABLE ";
  std::set<std::string, std::less<>> made;
  for (const Migration& migration : migrations) {
    std::string_view text = migration.text;
    for (std::size_t at = text.find(kMake); at != text.npos; at = text.find(kMake, at)) {
      at += kMake.size();
      made.emplace(text.substr(at, text.find_first_of(" (\n", at) - at));
    }
  }
  return made;
}

// As they are written in statements.
std::vector<std::string> ListTables(Session& session, std::span<const Migration> migrations) {
  const auto made = MadeBy(migrations);
  std::vector<std::string> tables;
  std::string name, written;
  Query query(session, kListTables);
  query.Into(name).Into(written);
  while (query.Next()) {
    if (made.contains(name)) tables.push_back(written);
  }
  return tables;
}

// Locks all tables, or none, before the first migration: migrations that locked them one by one
// would wait for transactions that wait for them, and PostgreSQL ends that with an error for
// either. Each is waited for by itself first: after a second of that, PostgreSQL ends a vacuum that
// has it.
void TakeTables(Session& session, std::span<const Migration> migrations) {
  const std::vector<std::string> tables = ListTables(session, migrations);
  if (tables.empty()) return;
  for (const std::string& table : tables) {
    session.Run({"await_table", fmt::format("SAVEPOINT one; LOCK TABLE {}; ROLLBACK TO one; "
                                            "RELEASE one",
                                            table)});
  }
  session.Run(kHurryAll);
  session.Run({"take_tables", fmt::format("LOCK TABLE {}", fmt::join(tables, ", "))});
  session.Run(kTakeTime);
}

void TakeStep(Session& session, const Migration& migration) {
  session.Run({migration.name, migration.text});
  Query query(session, kAddStep);
  query.Use(migration.number).Use(migration.name).Use(ChecksumOf(migration));
  query.Use(SystemClock().Now());
  query.Use(migration.kind == MigrationKind::kExpand ? "expand" : "contract");
  query.Use(migration.floor == 0 ? migration.number : migration.floor).Run();
}

}  // namespace

Result<MigrationReport> Migrate(Session& session, std::span<const Migration> migrations,
                                ContractSteps contract, bool* had_turn) {
  const bool postgres = session.dialect() == Dialect::kPostgres;
  if (postgres) session.Run(kTakeTurnsMigrating);
  if (had_turn != nullptr) *had_turn = true;
  if (postgres) session.Run(kHurrySteps);
  session.Run(kMakeTable);
  const std::map<std::int64_t, TakenStep> taken = ListSteps(session);
  RETURN_IF_ERROR(CheckTaken(taken, migrations));
  MigrationReport report;
  for (const Migration& migration : migrations) {
    if (taken.contains(migration.number)) continue;
    std::optional<std::int64_t> known;
    if (migration.kind == MigrationKind::kContract && contract != ContractSteps::kNow) {
      known = LeastKnownStep(session);
    }
    const bool may = !known || *known >= migration.number;
    if (may && postgres && report.taken.empty()) TakeTables(session, migrations);
    if (may) TakeStep(session, migration);
    (may ? report.taken : report.waiting).emplace_back(migration.name);
  }
  return report;
}

std::vector<std::string> ListMissingSteps(Session& session, std::span<const Migration> migrations) {
  const std::map<std::int64_t, TakenStep> taken = ListSteps(session);
  std::vector<std::string> missing;
  for (const Migration& migration : migrations) {
    if (!taken.contains(migration.number)) missing.emplace_back(migration.name);
  }
  return missing;
}

Result<MigrationReport> FindMissingSteps(Session& session, std::span<const Migration> migrations) {
  std::map<std::int64_t, TakenStep> taken;
  if (Counts(session, kCountColumns)) taken = ListSteps(session);
  RETURN_IF_ERROR(CheckTaken(taken, migrations));
  MigrationReport report;
  for (const Migration& migration : migrations) {
    if (!taken.contains(migration.number) && migration.kind == MigrationKind::kExpand) {
      report.waiting.emplace_back(migration.name);
    }
  }
  return report;
}

}  // namespace koya::sql
