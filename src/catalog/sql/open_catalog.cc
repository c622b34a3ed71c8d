#include "catalog/sql/open_catalog.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/sql/access/access_catalog.h"
#include "catalog/sql/access/sign_in_catalog.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/migrations.h"
#include "catalog/sql/engine/postgres_engine.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/sql/engine/sqlite_engine.h"
#include "catalog/sql/engine/sqlite_file.h"
#include "catalog/sql/mirror/holdings.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "catalog/sql/operate/replica_catalog.h"
#include "catalog/sql/providers/provider_catalog.h"
#include "catalog/sql/search/search_index.h"
#include "catalog/sql/usage/contents_catalog.h"
#include "catalog/sql/usage/number_catalog.h"
#include "catalog/sql/usage/usage_catalog.h"

namespace koya::sql {
namespace {

// Dependencies of the parts. Destroyed from the last to the first. SQLite has a lock and no
// listener, PostgreSQL the reverse.
struct SqlCatalogParts {
  std::optional<DataLock> lock;
  std::unique_ptr<ChangeSignal> signal;
  std::unique_ptr<Database> database;
  std::unique_ptr<PostgresListener> listener;  // notifies `signal`
  bool keeps_ledger = false;                   // CatalogOptions::blob_ledger
};

// Base class, so that it is constructed before the parts and destroyed after them.
struct SqlCatalogGround {
  explicit SqlCatalogGround(SqlCatalogParts given)
      : parts(std::move(given)), transactions(*parts.database, *parts.signal, parts.keeps_ledger) {}

  SqlCatalogParts parts;
  Executor transactions;
  RecentUses token_uses{TokenCatalog::kTouchEvery};
  RecentUses held_uses{UpstreamHoldings::kTouchEvery};
};

// SqlCatalog is the catalog on an SQL database, composed of its parts: those of Catalog that are
// interfaces, and the rest.
class SqlCatalog final : private SqlCatalogGround,
                         public Catalog,
                         public SqlPasswords,
                         public SqlSessions,
                         public SqlIdentities,
                         public SqlBlobReferences,
                         public SqlBlobLedger,
                         public SqlDatabaseTime,
                         public SqlLeases,
                         public SqlSearchIndex,
                         public SqlNumbers,
                         public SqlSentBytes,
                         public SqlUsage,
                         public SqlMirrorCounts,
                         public SqlAudit,
                         public SqlChangeLog {
 public:
  using Parts = SqlCatalogParts;

  explicit SqlCatalog(Parts given)
      : SqlCatalogGround(std::move(given)),
        Catalog(transactions, token_uses, held_uses),
        SqlPasswords(transactions),
        SqlSessions(transactions),
        SqlIdentities(transactions),
        SqlBlobReferences(transactions),
        SqlBlobLedger(transactions),
        SqlDatabaseTime(transactions),
        SqlLeases(transactions),
        SqlSearchIndex(transactions),
        SqlNumbers(transactions),
        SqlSentBytes(transactions),
        SqlUsage(transactions),
        SqlMirrorCounts(transactions),
        SqlAudit(transactions),
        SqlChangeLog(transactions) {}

  std::vector<PoolLoad> Pools() const override { return parts.database->Loads(); }
};

}  // namespace
}  // namespace koya::sql

namespace koya {
namespace {

using sql::Database;
using sql::MakeSqliteEngine;
using sql::SqlCatalog;

constexpr std::string_view kSqliteScheme = "sqlite:";

Database::Pools PoolsOf(const CatalogOptions& options, std::size_t writers) {
  return {.readers = options.readers,
          .writers = writers,
          .read_timeout = options.read_timeout,
          .write_timeout = options.write_timeout};
}

// A table that is in use for long is retried: see sql::Migrate.
constexpr int kMostTries = 10;
constexpr std::chrono::seconds kBetweenTries(1);

Result<sql::MigrationReport> MigrateAll(
    Database& database, sql::ContractSteps contract = sql::ContractSteps::kWhenUnknownToNobody) {
  sql::MigrationReport report;
  for (int tries = 1;; ++tries) {
    bool had_turn = false;
    Status migrated = database.WriteNow([&](sql::Session& session) -> Status {
      ASSIGN_OR_RETURN(report, sql::Migrate(session, sql::AllMigrations(), contract, &had_turn));
      return {};
    });
    if (migrated) return report;
    const bool again = had_turn && migrated.error().kind == ErrorKind::kUnavailable;
    if (!again || tries == kMostTries) return Failure(std::move(migrated).error());
    std::this_thread::sleep_for(kBetweenTries);
  }
}

// For servers that may not run migrations. Fails: kUnavailable when one is missing.
Status CheckSchema(Database& database) {
  sql::MigrationReport report;
  RETURN_IF_ERROR(database.WriteNow([&](sql::Session& session) -> Status {
    ASSIGN_OR_RETURN(report, sql::FindMissingSteps(session, sql::AllMigrations()));
    return {};
  }));
  if (report.waiting.empty()) return {};
  return FailUnavailable(
      "the catalog's schema lacks the migration {}{}: run koya admin migrate, "
      "which catalog.migrate = wait waits for",
      report.waiting.front(), report.waiting.size() > 1 ? " and others" : "");
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
    return FailInvalid(
        "\"{}{}\" does not name a file: write for example "
        "sqlite:/var/lib/koya/koya.db",
        kSqliteScheme, Printable(text));
  }
  return path.string();
}

void Tell(const CatalogOptions& options, sql::MigrationReport report) {
  const bool nothing = report.taken.empty() && report.waiting.empty();
  if (!options.on_migrated || nothing) return;
  options.on_migrated({.taken = std::move(report.taken), .waiting = std::move(report.waiting)});
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
  parts.database = std::make_unique<Database>(std::move(engine), PoolsOf(options, 1));
  ASSIGN_OR_RETURN(sql::MigrationReport report, MigrateAll(*parts.database));
  Tell(options, std::move(report));
  return std::make_unique<SqlCatalog>(std::move(parts));
}

// What to say of a failure on a PostgreSQL database that was just named.
Error ForOperator(Error error, const std::string& connection) {
  if (error.kind != ErrorKind::kUnavailable || error.detail.empty()) return error;
  if (std::optional<std::string> why = sql::WhyRefused(connection)) {
    error.kind = ErrorKind::kInvalid;
    error.message = std::move(*why);
    return error;
  }
  error.message = fmt::format(
      "the PostgreSQL database that catalog.url names cannot be used ({}): check that it runs, "
      "that its address is right, and that koya can sign in",
      Printable(error.detail, 300));
  return error;
}

Status PreparePostgres(const CatalogOptions& options, Database& database) {
  if (options.migrate == CatalogOptions::Migrate::kWait) return CheckSchema(database);
  ASSIGN_OR_RETURN(sql::MigrationReport report, MigrateAll(database));
  Tell(options, std::move(report));
  return {};
}

Result<std::unique_ptr<Catalog>> OpenPostgres(const CatalogOptions& options) {
  ASSIGN_OR_RETURN(std::string connection, sql::PostgresConnectionString(options.url));
  SqlCatalog::Parts parts;
  parts.keeps_ledger = options.blob_ledger;
  parts.signal = std::make_unique<sql::ChangeSignal>();
  parts.database = std::make_unique<Database>(sql::MakePostgresEngine(connection),
                                              PoolsOf(options, options.writers));
  if (Status ready = PreparePostgres(options, *parts.database); !ready) {
    return Failure(ForOperator(std::move(ready).error(), connection));
  }
  parts.listener = std::make_unique<sql::PostgresListener>(connection, *parts.signal);
  return std::make_unique<SqlCatalog>(std::move(parts));
}

bool IsPostgres(std::string_view url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

}  // namespace

Result<std::unique_ptr<Catalog>> OpenCatalog(CatalogOptions options) {
  std::string_view url = options.url;
  if (url.starts_with(kSqliteScheme)) return OpenSqlite(options);
  if (IsPostgres(url)) return OpenPostgres(options);
  return FailInvalid(
      "catalog.url must begin with \"sqlite:\" or \"postgresql://\": write for example "
      "sqlite:/var/lib/koya/koya.db or postgresql://koya@db.example.com/koya");
}

std::optional<Error> WhyCatalogRefuses(const std::string& url) {
  if (!IsPostgres(url)) return std::nullopt;
  Result<std::string> connection = sql::PostgresConnectionString(url);
  if (!connection) return std::move(connection).error();
  std::optional<std::string> why = sql::WhyRefused(*connection);
  if (!why) return std::nullopt;
  return Error{.kind = ErrorKind::kInvalid, .message = *std::move(why)};
}

Result<CatalogSizes> CompactCatalog(const CatalogOptions& options) {
  const std::string_view url = options.url;
  if (IsPostgres(url)) {
    return FailRefused(
        "the catalog is a PostgreSQL database, which is compacted by its autovacuum: nothing to do "
        "here");
  }
  if (!url.starts_with(kSqliteScheme)) return FailInvalid("catalog.url names no SQLite file");
  ASSIGN_OR_RETURN(const std::string path, SqlitePath(url.substr(kSqliteScheme.size())));
  ASSIGN_OR_RETURN(const sql::DataLock lock, sql::DataLock::Acquire(path + ".lock"));
  ASSIGN_OR_RETURN(const sql::SqliteSizes sizes, sql::CompactSqliteFile(path));
  return CatalogSizes{.before = sizes.before, .after = sizes.after};
}

std::int64_t KnownSchemaStep() { return sql::AllMigrations().back().number; }

Result<SchemaReport> MigrateCatalog(const CatalogOptions& options, bool contract) {
  // The file belongs to the server that opens it, so no other server can lack a migration.
  if (!IsPostgres(options.url)) {
    SchemaReport found;
    CatalogOptions opening = options;
    opening.on_migrated = [&found](const SchemaReport& report) { found = report; };
    RETURN_IF_ERROR(OpenCatalog(std::move(opening)));
    return found;
  }
  ASSIGN_OR_RETURN(std::string connection, sql::PostgresConnectionString(options.url));
  Database database(sql::MakePostgresEngine(connection), PoolsOf(options, options.writers));
  auto report = MigrateAll(
      database, contract ? sql::ContractSteps::kNow : sql::ContractSteps::kWhenUnknownToNobody);
  if (!report) return Failure(ForOperator(std::move(report).error(), connection));
  return SchemaReport{.taken = std::move(report->taken), .waiting = std::move(report->waiting)};
}

}  // namespace koya
