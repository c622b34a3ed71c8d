// Inspects a SQLite catalog before it is used, without changing it or leaving files beside it; and
// keeps a second server off it.
#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
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

// Sizes in bytes, the log included.
struct SqliteSizes {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};
// Writes the file again without its free pages, with new statistics for the planner, and checks
// every page before and after. The old file is in place, and unchanged, until the new one is safely
// on the disk. Needs as many free bytes in its folder as it has, and blocks for about a second for
// each 100 MB. Fails: kStorageFull, with both numbers; kCorrupt: as InspectSqliteFile; kNotFound;
// kInternal. REQUIRES: the file is open nowhere else (DataLock).
Result<SqliteSizes> CompactSqliteFile(const std::string& path);

// The error for a catalog that turns out to be damaged.
Error DamagedCatalog(const std::string& path, std::string_view what);

// DataLock keeps a second server off the same data.

// Holds an exclusive lock on a file for its lifetime. The kernel drops the lock when the process
// ends, however it ends: a leftover lock file is harmless.
class DataLock {
 public:
  // Creates the file if needed and writes this process's id into it. Fails: kUnavailable when
  // another process holds it (the message names the file and that process), kStorageFull,
  // kInternal.
  static Result<DataLock> Acquire(const std::string& path);

 private:
  explicit DataLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace koya::sql
