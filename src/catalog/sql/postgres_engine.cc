#include "catalog/sql/postgres_engine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/file.h"

namespace koya::sql {
namespace {

// The server's own limits, a little below ours: its word on what was wrong is better than silence.
// They do nothing when it is the server that hangs, which is why the lanes have a watchdog.
std::string SettingsFor(std::chrono::milliseconds patience) {
  using std::chrono::milliseconds;
  milliseconds statement = std::max(patience - milliseconds(1000), patience / 2);
  milliseconds lock = std::min(statement, milliseconds(4000));
  // A server stopped between its turn at the change log and its COMMIT stops all that write; and
  // what we gave up on ends when the server notices that we are gone.
  return fmt::format(R"(
  SET statement_timeout = {};
  SET lock_timeout = {};
  SET idle_in_transaction_session_timeout = '5s';
  SET client_connection_check_interval = '5s';
  SET client_min_messages = warning;
  SET default_transaction_isolation = 'read committed';
)",
                     statement.count(), lock.count());
}

struct Setting {
  const char* name;
  const char* value;
};

// A peer that is gone without a word is noticed within some seconds.
constexpr Setting kConnectionDefaults[] = {
    {"connect_timeout", "3"},     {"tcp_user_timeout", "10000"}, {"keepalives_idle", "30"},
    {"keepalives_interval", "5"}, {"keepalives_count", "3"},     {"client_encoding", "UTF8"},
    {"application_name", "koya"},
};

void AppendSetting(std::string& out, std::string_view name, std::string_view value) {
  out += fmt::format("{}{}='", out.empty() ? "" : " ", name);
  for (char c : value) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  out += '\'';
}

PGconn* Native(soci::session& session) {
  return static_cast<soci::postgresql_session_backend*>(session.get_backend())->conn_;
}

class PostgresEngine final : public Engine {
 public:
  explicit PostgresEngine(std::string connection_string)
      : connection_string_(std::move(connection_string)) {}

  Dialect dialect() const override { return Dialect::kPostgres; }

  std::unique_ptr<soci::session> Connect() override {
    auto session = std::make_unique<soci::session>(*soci::factory_postgresql(), connection_string_);
    // The server's remarks go to the log of the server, not to our stderr.
    PQsetNoticeProcessor(Native(*session), [](void*, const char*) {}, nullptr);
    return session;
  }

  void Prepare(soci::session& session, std::chrono::milliseconds patience) override {
    RunScript(session, SettingsFor(patience));
  }

  void PrepareUnit(soci::session& /*session*/, std::chrono::milliseconds /*left*/) override {}

  // Of a copy: libpq may close its descriptor, and the number be another's by then.
  std::function<void()> Cutter(soci::session& session) override {
    auto copy = std::make_shared<UniqueFd>(::fcntl(PQsocket(Native(session)), F_DUPFD_CLOEXEC, 0));
    if (!copy->valid()) throw std::system_error(errno, std::generic_category(), "copy a socket");
    return [copy] { ::shutdown(copy->get(), SHUT_RDWR); };
  }

  void RunScript(soci::session& session, const std::string& script) override {
    PGconn* connection = Native(session);
    std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection, script.c_str()),
                                                          &PQclear);
    ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return;
    const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    throw soci::postgresql_soci_error(PQerrorMessage(connection), state ? state : "     ");
  }

  Fault Explain(const std::exception& exception, soci::session* session) const override {
    Fault fault{{ErrorKind::kInternal, "the server could not use its catalog; its log says why",
                 exception.what()}};
    const auto* error = dynamic_cast<const soci::postgresql_soci_error*>(&exception);
    std::string state = error == nullptr ? "" : error->sqlstate();
    bool cut = session == nullptr || PQstatus(Native(*session)) != CONNECTION_OK;
    // 57P…: the server is stopping or starting. 25006: it became a standby; the name may lead to
    // another server by now.
    if (cut || state.starts_with("57P") || state.starts_with("08") || state == "25006") {
      fault.connection_lost = true;
      fault.error.kind = ErrorKind::kUnavailable;
      fault.error.message = "the server's database cannot be reached: try again later";
      fault.error.retry_after = 2;
    } else if (state == "53100") {  // disk_full
      fault.error.kind = ErrorKind::kStorageFull;
      fault.error.message =
          "the disk of the server's database is full: nothing was stored; free space there, then "
          "try again";
    } else if (state.starts_with("53") || state.starts_with("40") || state == "57014" ||
               state == "55P03") {  // out of resources, deadlock, too slow, locked
      fault.error.kind = ErrorKind::kUnavailable;
      fault.error.message = "the server's database is too busy: try again later";
      fault.error.retry_after = 2;
    } else if (state.starts_with("XX")) {  // data_corrupted, index_corrupted
      fault.error.kind = ErrorKind::kCorrupt;
    }
    return fault;
  }

 private:
  const std::string connection_string_;
};

}  // namespace

Result<std::string> PostgresConnectionString(std::string_view url) {
  char* complaint = nullptr;
  std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(std::string(url).c_str(), &complaint), &PQconninfoFree);
  PQfreemem(complaint);  // it may quote the password
  if (!options || url.contains('\0')) {
    return Fail(ErrorKind::kInvalid,
                "catalog.url is not a PostgreSQL URL: write postgresql://USER:PASSWORD@HOST:PORT/"
                "DATABASE, with special characters percent-encoded");
  }
  std::string text;
  std::string given = " ";
  for (PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    AppendSetting(text, option->keyword, option->val);
    given += fmt::format("{} ", option->keyword);
  }
  for (const Setting& setting : kConnectionDefaults) {
    if (!given.contains(fmt::format(" {} ", setting.name))) {
      AppendSetting(text, setting.name, setting.value);
    }
  }
  return text;
}

std::unique_ptr<Engine> MakePostgresEngine(std::string connection_string) {
  return std::make_unique<PostgresEngine>(std::move(connection_string));
}

}  // namespace koya::sql
