// The only file that includes soci-sqlite3.h: it wraps sqlite3.h in a namespace.
#include "catalog/sql/engine/sqlite_engine.h"

#include <fmt/format.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <cerrno>

#include "catalog/sql/engine/sqlite_file.h"

namespace koya::sql {
namespace {

// The log is cut back after checkpoints.
constexpr std::string_view kSettings = R"(
  PRAGMA foreign_keys = ON;
  PRAGMA temp_store = MEMORY;
  PRAGMA journal_size_limit = 16777216;
)";
// What the index of words has (search_beginnings.h), for this connection.
constexpr std::string_view kWordTable =
    "CREATE VIRTUAL TABLE temp.search_newest_words USING fts5vocab(main, search_newest, row)";

// Pages of the log after which a commit writes it into the file, as far as readers let it; and
// after which it waits for readers, since reads that follow each other without a gap would let the
// log grow without end (64 MiB).
constexpr int kCheckpointPages = 1000;
constexpr int kLongLogPages = 16'384;
constexpr int kWaitForReadersMs = 100;

// Called after each commit of the connection, with the length of the log.
int Checkpoint(void* /*unused*/, sqlite_api::sqlite3* connection, const char* name, int pages) {
  if (pages < kCheckpointPages) return SQLITE_OK;
  const bool is_long = pages >= kLongLogPages;
  // PrepareUnit sets it again, for the next transaction.
  if (is_long) sqlite_api::sqlite3_busy_timeout(connection, kWaitForReadersMs);
  // The next commit tries again.
  sqlite_api::sqlite3_wal_checkpoint_v2(
      connection, name, is_long ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, nullptr,
      nullptr);
  return SQLITE_OK;
}

class SqliteEngine final : public Engine {
 public:
  explicit SqliteEngine(SqliteOptions options) : options_(std::move(options)) {}

  Dialect dialect() const override { return Dialect::kSqlite; }

  std::unique_ptr<soci::session> Connect() override {
    return std::make_unique<soci::session>(*soci::factory_sqlite3(),
                                           fmt::format("dbname=\"{}\"", options_.path));
  }

  void Prepare(soci::session& session, std::chrono::milliseconds patience) override {
    PrepareUnit(session, patience);
    RunScript(session, std::string(kSettings));
    RunScript(session, std::string(kWordTable));
    RunScript(session, options_.durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
    if (options_.write_ahead_log) {
      RunScript(session, "PRAGMA journal_mode = WAL");
      sqlite_api::sqlite3_wal_hook(Native(session), &Checkpoint, nullptr);
    }
    if (options_.max_pages > 0) {
      RunScript(session, fmt::format("PRAGMA max_page_count = {}", options_.max_pages));
    }
  }

  // How long it waits for another program's lock: the cutter does not end that.
  void PrepareUnit(soci::session& session, std::chrono::milliseconds left) override {
    sqlite_api::sqlite3_busy_timeout(Native(session), static_cast<int>(left.count()));
  }

  std::function<void()> Cutter(soci::session& session) override {
    return [connection = Native(session)] { sqlite_api::sqlite3_interrupt(connection); };
  }

  void RunScript(soci::session& session, const std::string& script) override {
    char* message = nullptr;
    int code =
        sqlite_api::sqlite3_exec(Native(session), script.c_str(), nullptr, nullptr, &message);
    if (code == SQLITE_OK) return;
    std::string text = message == nullptr ? "no message" : message;
    sqlite_api::sqlite3_free(message);
    throw soci::sqlite3_soci_error(text, code);
  }

  bool Rest(soci::statement& statement) const override {
    auto* backend = static_cast<soci::sqlite3_statement_backend*>(statement.get_backend());
    if (backend == nullptr || backend->stmt_ == nullptr) return false;
    // The error was reported when it happened.
    sqlite_api::sqlite3_reset(backend->stmt_);
    sqlite_api::sqlite3_clear_bindings(backend->stmt_);
    return true;
  }

  Fault Explain(const std::exception& exception, soci::session* session) const override {
    const auto* error = dynamic_cast<const soci::sqlite3_soci_error*>(&exception);
    Fault fault{{ErrorKind::kInternal, "the server could not use its catalog; see its log",
                 exception.what()}};
    int code = error == nullptr ? SQLITE_OK : error->result() & 0xff;
    bool full = code == SQLITE_FULL;
    // Shared memory and log files run out of space with an I/O error.
    if (code == SQLITE_IOERR && session != nullptr) {
      full = sqlite_api::sqlite3_system_errno(Native(*session)) == ENOSPC;
    }
    if (full) {
      fault.error.kind = ErrorKind::kStorageFull;
      fault.error.message =
          "the disk that holds the server's catalog is full: nothing was stored; free space there, "
          "then try again";
    } else if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
      fault.locked = true;
      fault.error.kind = ErrorKind::kUnavailable;
      fault.error.message = "another program keeps the server's catalog locked: try again later";
      fault.error.retry_after = 2;
    } else if (code == SQLITE_CANTOPEN) {  // as when the process has no descriptor left
      fault.error.kind = ErrorKind::kUnavailable;
      fault.error.message =
          "the server's catalog cannot be opened for now; see its log, and try again later";
      fault.error.retry_after = 2;
    } else if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
      fault.error = DamagedCatalog(options_.path, "SQLite cannot read part of it");
      fault.error.detail = exception.what();
    }
    return fault;
  }

 private:
  static sqlite_api::sqlite3* Native(soci::session& session) {
    return static_cast<soci::sqlite3_session_backend*>(session.get_backend())->conn_;
  }

  const SqliteOptions options_;
};

}  // namespace

std::unique_ptr<Engine> MakeSqliteEngine(SqliteOptions options) {
  SetUpSqlite();
  return std::make_unique<SqliteEngine>(std::move(options));
}

}  // namespace koya::sql
