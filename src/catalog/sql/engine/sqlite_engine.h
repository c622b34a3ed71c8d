// Engine for SQLite: one file, one server. The default.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "catalog/sql/engine/engine.h"

namespace koya::sql {

struct SqliteOptions {
  std::string path;
  bool write_ahead_log = true;  // off while a new file is created: it must be one file
  bool durable = true;          // commits wait for the disk
  std::uint64_t max_pages = 0;  // 0: as many as the disk holds
};

// REQUIRES: `path` has no '"' in it.
std::unique_ptr<Engine> MakeSqliteEngine(SqliteOptions options);

}  // namespace koya::sql
