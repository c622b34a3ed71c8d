#include "catalog/sql/open_catalog.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/text.h"
#include "catalog/sql/migrations.h"
#include "catalog/sql/postgres_engine.h"
#include "catalog/sql/sql_catalog.h"
#include "catalog/sql/sqlite_engine.h"
#include "catalog/sql/sqlite_file.h"

namespace koya {
namespace {

using sql::Database;
using sql::MakeSqliteEngine;
using sql::SqlCatalog;

constexpr std::string_view kSqliteScheme = "sqlite:";

Database::Lanes LanesOf(const CatalogOptions& options, std::size_t writers) {
  return {.readers = options.readers,
          .writers = writers,
          .read_timeout = options.read_timeout,
          .write_timeout = options.write_timeout};
}

Status MigrateAll(Database& database) {
  return database.WriteNow(
      [](sql::Session& session) { return sql::Migrate(session, sql::AllMigrations()); });
}

Status SyncPath(const std::string& path, int flags) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) return Failure(ErrnoError("fsync " + path, errno));
  return {};
}

// Makes the file under another name and renames it, so that a catalog is there whole or not at
// all: an empty file can then only be damage.
Status MakeSqliteFile(const std::string& path) {
  const std::string draft = path + ".new";
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) ::unlink((draft + suffix).c_str());
  UniqueFd fd(::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
  if (!fd.valid()) return Failure(ErrnoError("create " + draft, errno));
  fd.Reset();
  {
    Database database(MakeSqliteEngine({.path = draft, .write_ahead_log = false}),
                      {.readers = 1, .writers = 1});
    sql::Statement mark{"mark_catalog", "PRAGMA application_id = 1265596769"};
    static_assert(sql::kApplicationId == 1265596769);
    RETURN_IF_ERROR(database.WriteNow([&mark](sql::Session& session) -> Status {
      session.Run(mark);
      return {};
    }));
    RETURN_IF_ERROR(MigrateAll(database));
  }
  RETURN_IF_ERROR(SyncPath(draft, O_RDONLY));
  if (::rename(draft.c_str(), path.c_str()) != 0) {
    return Failure(ErrnoError("rename " + draft, errno));
  }
  return SyncPath(std::filesystem::path(path).parent_path(), O_RDONLY | O_DIRECTORY);
}

// The file's real place, whatever links lead there: two names must find one lock.
Result<std::string> SqlitePath(std::string_view text) {
  std::error_code absolute_failed, ec;
  std::filesystem::path path = std::filesystem::absolute(text, absolute_failed);
  path = std::filesystem::weakly_canonical(path, ec);
  if (text.empty() || absolute_failed || ec || text.contains('"') || path.filename().empty()) {
    return Fail(ErrorKind::kInvalid, fmt::format("\"{}{}\" does not name a file: write for example "
                                                 "sqlite:/var/lib/koya/koya.db",
                                                 kSqliteScheme, Printable(text)));
  }
  return path.string();
}

Result<std::unique_ptr<Catalog>> OpenSqlite(const CatalogOptions& options) {
  ASSIGN_OR_RETURN(std::string path,
                   SqlitePath(std::string_view(options.url).substr(kSqliteScheme.size())));
  SqlCatalog::Parts parts;
  parts.keeps_ledger = options.blob_ledger;
  ASSIGN_OR_RETURN(parts.lock, sql::DataLock::Acquire(path + ".lock"));
  ASSIGN_OR_RETURN(sql::SqliteFile found, sql::InspectSqliteFile(path));
  if (found == sql::SqliteFile::kAbsent) RETURN_IF_ERROR(MakeSqliteFile(path));
  parts.signal = std::make_unique<sql::ChangeSignal>();
  auto engine =
      MakeSqliteEngine({.path = path, .durable = options.durable, .max_pages = options.max_pages});
  parts.database = std::make_unique<Database>(std::move(engine), LanesOf(options, 1));
  RETURN_IF_ERROR(MigrateAll(*parts.database));
  return std::make_unique<SqlCatalog>(std::move(parts));
}

Result<std::unique_ptr<Catalog>> OpenPostgres(const CatalogOptions& options) {
  ASSIGN_OR_RETURN(std::string connection, sql::PostgresConnectionString(options.url));
  SqlCatalog::Parts parts;
  parts.keeps_ledger = options.blob_ledger;
  parts.signal = std::make_unique<sql::ChangeSignal>();
  parts.database = std::make_unique<Database>(sql::MakePostgresEngine(connection),
                                              LanesOf(options, options.writers));
  if (Status ready = MigrateAll(*parts.database); !ready) {
    Error error = std::move(ready).error();
    if (error.kind == ErrorKind::kUnavailable) {
      error.message = fmt::format(
          "the PostgreSQL database that catalog.url names cannot be used ({}): check that it runs, "
          "that its address is right, and that koya may sign in",
          Printable(error.detail, 300));
    }
    return Failure(std::move(error));
  }
  parts.listener = std::make_unique<sql::PostgresListener>(connection, *parts.signal);
  return std::make_unique<SqlCatalog>(std::move(parts));
}

}  // namespace

Result<std::unique_ptr<Catalog>> OpenCatalog(CatalogOptions options) {
  std::string_view url = options.url;
  if (url.starts_with(kSqliteScheme)) return OpenSqlite(options);
  if (url.starts_with("postgresql://") || url.starts_with("postgres://")) {
    return OpenPostgres(options);
  }
  return Fail(ErrorKind::kInvalid,
              "catalog.url must begin with \"sqlite:\" or \"postgresql://\": write for example "
              "sqlite:/var/lib/koya/koya.db or postgresql://koya@db.example.com/koya");
}

}  // namespace koya
