// Looks at a SQLite catalog before it is used, without changing it or leaving anything beside it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace koya::sql {

enum class SqliteFile { kAbsent, kSound };

// "Koya" in ASCII: tells a catalog from other SQLite files (PRAGMA application_id).
inline constexpr std::int32_t kApplicationId = 0x4b6f7961;

// Settings of the library, for the whole process; those that were made before stay. Called before a
// file is opened. Any thread.
void SetUpSqlite();

// Checks the header, the size and the structure of the file at `path`. The structure of files over
// 64 MiB is checked in its upper parts only, so that a start stays quick whatever the size.
// Fails: kCorrupt (the message names the file and the way back), kInvalid for another program's
// file, kInternal. REQUIRES: nobody else has the file open.
Result<SqliteFile> InspectSqliteFile(const std::string& path);

// The error for a catalog that turns out to be damaged.
Error DamagedCatalog(const std::string& path, std::string_view what);

}  // namespace koya::sql
