// Inspects a SQLite catalog before it is used, without changing it or leaving files beside it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace koya::sql {

enum class SqliteFile { kAbsent, kSound };

// "Koya" in ASCII: distinguishes a catalog from other SQLite files (PRAGMA application_id).
inline constexpr std::int32_t kApplicationId = 0x4b6f7961;

// Configures the library for the whole process; settings that were made before stay. Call it before
// opening a file. Any thread.
void SetUpSqlite();

// Checks the header, the size and the structure of the file at `path`. The structure of files over
// 64 MiB is checked in its upper parts only, so that startup stays fast at any size.
// Fails: kCorrupt (the message names the file and the way back), kInvalid for another program's
// file, kInternal. REQUIRES: the file is open nowhere else.
Result<SqliteFile> InspectSqliteFile(const std::string& path);

// The error for a catalog that turns out to be damaged.
Error DamagedCatalog(const std::string& path, std::string_view what);

}  // namespace koya::sql
