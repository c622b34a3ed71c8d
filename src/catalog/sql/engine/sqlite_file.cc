#include "catalog/sql/engine/sqlite_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace koya::sql {
namespace {

constexpr std::uint64_t kCheckWhole = 64u << 20;
constexpr std::string_view kMagic("SQLite format 3\0", 16);
using Header = std::array<unsigned char, 100>;  // sqlite.org/fileformat2.html §1.3

std::uint32_t BigEndian(const Header& header, std::size_t offset, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | header[offset + i];
  return value;
}

// Size of the file, or 0 when there is none.
std::uint64_t SizeOf(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

Status CheckHeader(const std::string& path, std::uint64_t size, bool has_wal) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Header header{};
  if (!fd.valid()) return Failure(ErrnoError("open " + path, errno));
  ssize_t count = ::pread(fd.get(), header.data(), header.size(), 0);
  if (count < 0) return Failure(ErrnoError("read " + path, errno));
  if (static_cast<std::size_t>(count) < header.size()) {
    return Failure(DamagedCatalog(path, fmt::format("it has only {} bytes", size)));
  }
  if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0) {
    return Failure(DamagedCatalog(path, "it does not begin like a SQLite file"));
  }
  if (BigEndian(header, 68, 4) != static_cast<std::uint32_t>(kApplicationId)) {
    return FailInvalid(
        "{} is a SQLite file, but not a Koya catalog: name another file as "
        "catalog.url, or move this one away",
        path);
  }
  std::uint64_t page = BigEndian(header, 16, 2);
  if (page == 1) page = 65536;
  std::uint64_t wanted = page * BigEndian(header, 28, 4);
  // With a log beside it, the file may lag behind its own header.
  if (!has_wal && size < wanted) {
    return Failure(
        DamagedCatalog(path, fmt::format("it has {} bytes instead of {}", size, wanted)));
  }
  return {};
}

using FileConnection = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;

// First column of each row. Fails with SQLite's words.
std::expected<std::vector<std::string>, std::string> Ask(sqlite3* connection,
                                                         const std::string& question) {
  std::vector<std::string> answers;
  sqlite3_stmt* raw = nullptr;
  int code = sqlite3_prepare_v2(connection, question.c_str(), -1, &raw, nullptr);
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, &sqlite3_finalize);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(raw);
    if (code != SQLITE_ROW) break;
    const unsigned char* text = sqlite3_column_text(raw, 0);
    answers.emplace_back(text == nullptr ? "" : reinterpret_cast<const char*>(text));
  }
  if (code != SQLITE_DONE) return std::unexpected(std::string(sqlite3_errmsg(connection)));
  return answers;
}

// The first fault found, or "".
std::string FindFault(sqlite3* connection, std::uint64_t size) {
  if (size <= kCheckWhole) {
    auto report = Ask(connection, "PRAGMA quick_check(1)");
    if (!report) return report.error();
    return report->empty() || report->front() == "ok" ? "" : report->front();
  }
  // What indexes words has tables of its own, some without rowid.
  auto tables = Ask(connection,
                    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND "
                    "type IN ('table', 'shadow') AND wr = 0");
  if (!tables) return tables.error();
  for (const std::string& table : *tables) {
    // Walks down both edges of the tree. With both in one query, SQLite would walk along everything
    // between them: only a minimum or maximum on its own comes from an edge.
    auto ends = Ask(connection, fmt::format("SELECT (SELECT min(rowid) FROM \"{0}\"), "
                                            "(SELECT max(rowid) FROM \"{0}\")",
                                            table));
    if (!ends) return ends.error();
  }
  return "";
}

// `immutable` makes SQLite read the file alone, without locks, -wal or -shm.
Status CheckStructure(const std::string& path, std::uint64_t size, bool has_wal) {
  const std::string shared_memory = path + "-shm";
  const bool had_shared_memory = ::access(shared_memory.c_str(), F_OK) == 0;
  std::string uri = "file:";
  for (unsigned char c : path) {
    bool plain = std::isalnum(c) != 0 || std::strchr("/._-", c) != nullptr;
    uri += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02x}", c);
  }
  uri += has_wal ? "" : "?immutable=1&mode=ro";
  sqlite3* raw = nullptr;
  int flags = (has_wal ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_URI;
  int code = sqlite3_open_v2(uri.c_str(), &raw, flags, nullptr);
  FileConnection connection(raw, &sqlite3_close);
  // Closing must not write the log into a file that may be damaged.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  std::string fault = code == SQLITE_OK ? FindFault(raw, size) : sqlite3_errmsg(raw);
  connection.reset();
  if (!had_shared_memory) ::unlink(shared_memory.c_str());
  if (!fault.empty()) return Failure(DamagedCatalog(path, fault));
  return {};
}

}  // namespace

// The library's memory statistics are one number for all connections, behind one lock, at which
// connections then wait for each other; and they are not used. A connection belongs to one thread
// at a time (Session), so it needs no lock of its own: sqlite3_interrupt takes none.
void SetUpSqlite() {
  static std::once_flag once;
  std::call_once(once, [] {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
  });
}

Error DamagedCatalog(const std::string& path, std::string_view what) {
  return {ErrorKind::kCorrupt,
          fmt::format("the catalog {} is damaged: {}. Koya has not changed it. Put a backup of the "
                      "file in its place, without files named {}-wal or {}-shm beside it, and "
                      "start again; stored archives are not affected",
                      path, what, path, path),
          {}};
}

Result<SqliteFile> InspectSqliteFile(const std::string& path) {
  SetUpSqlite();
  struct stat status{};
  const bool has_wal = SizeOf(path + "-wal") > 0;
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) return Failure(ErrnoError("stat " + path, errno));
    if (!has_wal) return SqliteFile::kAbsent;
    return Failure(DamagedCatalog(path, "it is missing, but its log, the -wal file, exists"));
  }
  if (!S_ISREG(status.st_mode)) {
    return FailInvalid(
        "{} is not a file: name a file as catalog.url, for "
        "example sqlite:/var/lib/koya/koya.db",
        path);
  }
  auto size = static_cast<std::uint64_t>(status.st_size);
  RETURN_IF_ERROR(CheckHeader(path, size, has_wal));
  RETURN_IF_ERROR(CheckStructure(path, size, has_wal));
  return SqliteFile::kSound;
}

namespace {

// Runs `script`. Fails with SQLite's words.
Status RunOn(sqlite3* connection, const std::string& path, const std::string& script) {
  auto ran = Ask(connection, script);
  if (ran) return {};
  const int code = sqlite3_errcode(connection) & 0xff;
  if (code == SQLITE_FULL) {
    return Fail(ErrorKind::kStorageFull,
                "the disk of the catalog is full: nothing was changed; free space there", path);
  }
  return Fail(ErrorKind::kInternal,
              fmt::format("the catalog {} could not be compacted, and is unchanged: {}", path,
                          ran.error()));
}

Status CheckAllPages(sqlite3* connection, const std::string& path) {
  auto report = Ask(connection, "PRAGMA integrity_check(1)");
  if (!report) return Failure(DamagedCatalog(path, report.error()));
  if (report->empty() || report->front() == "ok") return {};
  return Failure(DamagedCatalog(path, report->front()));
}

Result<FileConnection> OpenWhole(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
  FileConnection connection(raw, &sqlite3_close);
  if (code == SQLITE_OK) return connection;
  return Failure(DamagedCatalog(path, sqlite3_errmsg(raw)));
}

Status CheckFreeSpace(const std::string& path, std::uint64_t needed) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) return Failure(ErrnoError("look at " + folder, errno));
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  if (free >= needed) return {};
  return Fail(ErrorKind::kStorageFull,
              fmt::format("compacting {} needs {} free bytes on its disk, which has {}: free some, "
                          "or move the catalog to a larger disk",
                          path, needed, free));
}

// Writes the content of `path` to `fresh`.
Status WriteCompact(const std::string& path, const std::string& fresh) {
  ASSIGN_OR_RETURN(FileConnection connection, OpenWhole(path));
  RETURN_IF_ERROR(RunOn(connection.get(), path, "PRAGMA wal_checkpoint(TRUNCATE)"));
  RETURN_IF_ERROR(CheckAllPages(connection.get(), path));
  std::string quoted;
  for (const char c : fresh) quoted += c == '\'' ? "''" : std::string(1, c);
  RETURN_IF_ERROR(RunOn(connection.get(), path, fmt::format("VACUUM INTO '{}'", quoted)));
  ASSIGN_OR_RETURN(FileConnection written, OpenWhole(fresh));
  RETURN_IF_ERROR(RunOn(written.get(), fresh, "PRAGMA analysis_limit = 1000"));
  RETURN_IF_ERROR(RunOn(written.get(), fresh, "ANALYZE"));
  return CheckAllPages(written.get(), fresh);
}

// Gives `fresh` the owner and the mode of `path`, and has it on the disk.
Status MakeSafe(const std::string& path, const std::string& fresh) {
  struct stat old{};
  UniqueFd fd(::open(fresh.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid() || ::stat(path.c_str(), &old) != 0)
    return Failure(ErrnoError("open " + fresh, errno));
  // Root may compact the file of the server's user.
  const bool same = ::fchmod(fd.get(), old.st_mode & 07777) == 0 &&
                    (::geteuid() != 0 || ::fchown(fd.get(), old.st_uid, old.st_gid) == 0);
  if (!same || ::fsync(fd.get()) != 0) return Failure(ErrnoError("write " + fresh, errno));
  return {};
}

}  // namespace

Result<SqliteSizes> CompactSqliteFile(const std::string& path) {
  ASSIGN_OR_RETURN(const SqliteFile found, InspectSqliteFile(path));
  if (found == SqliteFile::kAbsent) return FailNotFound("there is no catalog {}", path);
  const std::string log = path + "-wal";
  const std::string fresh = path + ".compact";
  SqliteSizes sizes{.before = SizeOf(path) + SizeOf(log)};
  RETURN_IF_ERROR(CheckFreeSpace(path, sizes.before));
  for (const char* suffix : {"", "-journal"}) ::unlink((fresh + suffix).c_str());
  Status written = WriteCompact(path, fresh);
  if (written) written = MakeSafe(path, fresh);
  // A log belongs to the file that it was written for. It is empty since the checkpoint.
  if (written && SizeOf(log) > 0) {
    written = Fail(ErrorKind::kUnavailable,
                   "another program uses the catalog " + path + ": end it, then try again");
  }
  if (!written) {
    ::unlink(fresh.c_str());
    return Failure(std::move(written).error());
  }
  for (const char* suffix : {"-wal", "-shm"}) ::unlink((path + suffix).c_str());
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    return Failure(ErrnoError("rename " + fresh, errno));
  }
  UniqueFd folder(::open(path.substr(0, path.rfind('/') + 1).c_str(), O_RDONLY | O_CLOEXEC));
  if (!folder.valid() || ::fsync(folder.get()) != 0) {
    return Failure(ErrnoError("fsync the folder of " + path, errno));
  }
  sizes.after = SizeOf(path);
  return sizes;
}

namespace {

std::string HolderOf(int fd) {
  std::array<char, 24> text{};
  ssize_t length = ::pread(fd, text.data(), text.size(), 0);
  std::string_view pid(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  pid = pid.substr(0, pid.find_first_not_of("0123456789"));
  return pid.empty() ? "another process" : fmt::format("process {}", pid);
}

}  // namespace

Result<DataLock> DataLock::Acquire(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!fd.valid()) {
    Error error = ErrnoError("open " + path, errno);
    error.message = fmt::format(
        "the lock file {} cannot be created ({}): check that its folder exists and that koya can "
        "write to it",
        path, error.detail);
    return Failure(std::move(error));
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Failure(ErrnoError("lock " + path, errno));
    return FailUnavailable(
        "another koya server uses this data folder: {} holds the lock {}. Stop "
        "it, or give this server its own folder",
        HolderOf(fd.get()), path);
  }
  std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), pid.data(), pid.size(), 0) < 0) {
    return Failure(ErrnoError("write " + path, errno));
  }
  return DataLock(std::move(fd));
}

}  // namespace koya::sql
