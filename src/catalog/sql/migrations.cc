#include "catalog/sql/migrations.h"

#include <fmt/format.h>

#include <map>

#include "base/clock.h"
#include "catalog/sql/query.h"
#include "domain/digest.h"

namespace koya::sql {
namespace {

// Held until the transaction ends, without the usual limits: another server may be at it, and a
// step over a large table takes its time. The number only has to differ from change_log.cc's.
constexpr Statement kTakeTurns{"lock_schema",
                               "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; "
                               "SELECT pg_advisory_xact_lock(5427001)"};
constexpr Statement kMakeTable{"make_schema_migration",
                               "CREATE TABLE IF NOT EXISTS schema_migration ("
                               "number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, "
                               "checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)"};
constexpr Statement kListSteps{"list_schema_migrations",
                               "SELECT number, name, checksum FROM schema_migration "
                               "ORDER BY number"};
constexpr Statement kAddStep{"add_schema_migration",
                             "INSERT INTO schema_migration (number, name, checksum, applied_at) "
                             "VALUES (:number, :name, :checksum, :applied_at)"};

struct TakenStep {
  std::string name;
  std::string checksum;
};

std::map<std::int64_t, TakenStep> ListSteps(Session& session) {
  std::map<std::int64_t, TakenStep> steps;
  std::int64_t number = 0;
  TakenStep step;
  Query query(session, kListSteps);
  query.Into(number).Into(step.name).Into(step.checksum);
  while (query.Next()) steps[number] = step;
  return steps;
}

void TakeStep(Session& session, const Migration& migration, const std::string& checksum) {
  session.Run({migration.name, migration.text});
  Query query(session, kAddStep);
  query.Use(migration.number).Use(migration.name).Use(checksum).Use(SystemClock().Now());
  query.Run();
}

}  // namespace

Status Migrate(Session& session, std::span<const Migration> migrations) {
  if (session.dialect() == Dialect::kPostgres) session.Run(kTakeTurns);
  session.Run(kMakeTable);
  std::map<std::int64_t, TakenStep> taken = ListSteps(session);
  std::int64_t known = migrations.empty() ? 0 : migrations.back().number;
  if (!taken.empty() && taken.rbegin()->first > known) {
    return Fail(
        ErrorKind::kRefused,
        fmt::format("the catalog was written by a newer koya (its schema is at step {}, this "
                    "program knows steps up to {}): start that version, or a later one",
                    taken.rbegin()->first, known));
  }
  for (const Migration& migration : migrations) {
    std::string checksum = Digest::Of(migration.text).hex();
    auto step = taken.find(migration.number);
    if (step == taken.end()) {
      TakeStep(session, migration, checksum);
    } else if (step->second.checksum != checksum) {
      return Fail(
          ErrorKind::kCorrupt,
          fmt::format("the catalog's schema is not this program's: step {} ({}) was taken "
                      "with another text. Start the koya that made the catalog, or restore a "
                      "backup",
                      migration.number, step->second.name));
    }
  }
  return {};
}

}  // namespace koya::sql
