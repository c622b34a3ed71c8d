// The catalog's schema, as numbered steps that only go forward (catalog/migrations/NNNN_….sql).
//
// Servers of two versions may run on one database while one replaces the other. So a step says, in
// its line "-- kind: expand, floor: 3", what it does to programs that do not know it: an expand
// step only adds what they need not know; a contract step takes away or changes. The floor is the
// last step that a program must know to run on the schema as this step leaves it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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

// Brings the schema up to the last of `migrations`. Runs inside one write transaction of the
// caller: all steps are taken, or none. Servers that start at the same time take turns.
// A schema that is newer than this program is left as it is, provided that its floor is a step that
// this program knows. Fails: kRefused when it is not; kCorrupt when a step that was taken had
// another text. Throws as SOCI does.
Status Migrate(Session& session, std::span<const Migration> migrations);

}  // namespace koya::sql
