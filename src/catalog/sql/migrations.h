// The catalog's schema, as numbered steps that only go forward (catalog/migrations/NNNN_….sql).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "catalog/sql/session.h"

namespace koya::sql {

struct Migration {
  std::int64_t number = 0;
  std::string_view name;  // the file's name
  std::string_view text;  // with {{words}}
};

// All of them, in order, embedded at build time.
std::span<const Migration> AllMigrations();

// Brings the schema up to the last of `migrations`. Runs inside one write transaction of the
// caller: all steps are taken, or none. Servers that start at the same time take turns.
// Fails: kRefused when the schema is newer than this program, kCorrupt when a step that was taken
// had another text. Throws as SOCI does.
Status Migrate(Session& session, std::span<const Migration> migrations);

}  // namespace koya::sql
