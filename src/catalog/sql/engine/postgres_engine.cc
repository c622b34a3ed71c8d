#include "catalog/sql/engine/postgres_engine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {
namespace {

// The server's own limits, slightly below ours: its error message is better than none. They do
// nothing when the server itself hangs, which is why the pools have a watchdog.
std::string SettingsFor(std::chrono::milliseconds patience) {
  using std::chrono::milliseconds;
  milliseconds statement = std::max(patience - milliseconds(1000), patience / 2);
  milliseconds lock = std::min(statement, milliseconds(4000));
  // A server stopped between its turn at the change log and its COMMIT stops all that write; and
  // what we gave up on ends when the server notices that we are gone. Nothing that we ask takes so
  // long that a compiler or more workers would be worth their start: some milliseconds, and for a
  // search, whose statement is long, half a second.
  return fmt::format(R"(
  SET statement_timeout = {};
  SET lock_timeout = {};
  SET idle_in_transaction_session_timeout = '5s';
  SET client_connection_check_interval = '5s';
  SET client_min_messages = warning;
  SET default_transaction_isolation = 'read committed';
  SET jit = off;
  SET max_parallel_workers_per_gather = 0;
)",
                     statement.count(), lock.count());
}

// Of finding out why a server refuses us: it just answered.
constexpr std::chrono::seconds kRefusalTimeout(3);

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

// While a server answers as a standby, another of the hosts is the one that takes changes.
constexpr Setting kOneOfSeveral{"target_session_attrs", "read-write"};

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

using Connection = std::unique_ptr<PGconn, void (*)(PGconn*)>;

// Until the connection is made or refused, or time is up.
void Await(PGconn* connection) {
  const auto until = std::chrono::steady_clock::now() + kRefusalTimeout;
  for (PostgresPollingStatusType wants = PGRES_POLLING_WRITING;
       wants == PGRES_POLLING_WRITING || wants == PGRES_POLLING_READING;
       wants = PQconnectPoll(connection)) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd socket{.fd = PQsocket(connection),
                  .events = static_cast<short>(wants == PGRES_POLLING_WRITING ? POLLOUT : POLLIN),
                  .revents = 0};
    if (left.count() <= 0 || ::poll(&socket, 1, static_cast<int>(left.count())) <= 0) return;
  }
}

// What the servers say of it, as the codes of SQL: their words are in their own languages.
std::string CodesOfRefusal(const std::string& connection_string) {
  Connection connection(PQconnectStart(connection_string.c_str()), &PQfinish);
  if (!connection || PQstatus(connection.get()) == CONNECTION_BAD) return "";
  PQsetErrorVerbosity(connection.get(), PQERRORS_SQLSTATE);
  Await(connection.get());
  std::string words = PQerrorMessage(connection.get());
  std::string codes;
  for (const char* code : {"28P01", "28000", "3D000"}) {
    if (words.contains(fmt::format(":  {}\n", code))) codes += fmt::format("{} ", code);
  }
  return codes;
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

  // It is prepared by the server, in the round trip that runs it; a pooler between may give the
  // next one to another connection.
  bool Rest(soci::statement& /*statement*/) const override { return false; }

  Fault Explain(const std::exception& exception, soci::session* session) const override {
    Fault fault{{ErrorKind::kInternal, "the server could not use its catalog; see its log",
                 exception.what()}};
    const auto* error = dynamic_cast<const soci::postgresql_soci_error*>(&exception);
    std::string state = error == nullptr ? "" : error->sqlstate();
    bool cut = session == nullptr || PQstatus(Native(*session)) != CONNECTION_OK;
    // 57P…: the server is stopping or starting. 25006: it became a standby; the name may lead to
    // another server by now.
    if (cut || state.starts_with("57P") || state.starts_with("08") || state == "25006") {
      fault.connection_lost = true;
      fault.error.kind = ErrorKind::kUnavailable;
      fault.error.message =
          state == "25006" ? "the server's database is read-only at the moment: try again later"
                           : "the server's database cannot be reached: try again later";
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
    return FailInvalid(
        "catalog.url is not a PostgreSQL URL: write postgresql://USER:PASSWORD@HOST:PORT/"
        "DATABASE, with special characters percent-encoded");
  }
  std::string text;
  std::string given = " ";
  bool several = false;
  for (PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    AppendSetting(text, option->keyword, option->val);
    given += fmt::format("{} ", option->keyword);
    several = several || (std::string_view(option->keyword).starts_with("host") &&
                          std::string_view(option->val).contains(','));
  }
  auto complete = [&](const Setting& setting) {
    if (!given.contains(fmt::format(" {} ", setting.name))) {
      AppendSetting(text, setting.name, setting.value);
    }
  };
  for (const Setting& setting : kConnectionDefaults) complete(setting);
  if (several) complete(kOneOfSeveral);
  return text;
}

std::optional<std::string> WhyRefused(const std::string& connection_string) {
  const std::string codes = CodesOfRefusal(connection_string);
  auto has = [&codes](std::string_view code) { return codes.contains(code); };
  if (has("28P01") || has("28000")) {
    return "the PostgreSQL server that catalog.url names denies its user or password: correct them "
           "in catalog.url, or allow the user on the server (pg_hba.conf)";
  }
  if (has("3D000")) {
    return "the PostgreSQL server that catalog.url names has no such database: create it there "
           "(createdb), or name another in catalog.url";
  }
  return std::nullopt;
}

std::unique_ptr<Engine> MakePostgresEngine(std::string connection_string) {
  return std::make_unique<PostgresEngine>(std::move(connection_string));
}

namespace asio = boost::asio;
namespace {

using ListeningConnection = std::unique_ptr<PGconn, void (*)(PGconn*)>;
using Descriptor = asio::posix::stream_descriptor;
using Time = std::chrono::steady_clock::time_point;

constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds kPause{1};            // between attempts to connect
constexpr std::chrono::seconds kConnectDeadline{3};  // libpq's own limit is for blocking calls
constexpr int kMostMissed = 3;

}  // namespace

struct PostgresListener::Impl {
  Impl(std::string text, ChangeSignal& to, Options with)
      : connection_string(std::move(text)),
        signal(to),
        options(std::move(with)),
        loop(1),
        deadline(loop) {}

  Awaitable<void> Run();
  Awaitable<bool> Connect(PGconn* connection);
  Awaitable<void> Listen(PGconn* connection);
  // Waits for the connection's socket, at most until `end`.
  enum class Waited { kReady, kTimeOver, kFailed };
  Awaitable<Waited> Ready(PGconn* connection, Descriptor::wait_type direction, Time end);
  // Asks for a notification of its own. Returns false when the connection is lost.
  bool Beat(PGconn* connection);
  // Takes in what has arrived. Returns whether it was news.
  bool TakeNotifications(PGconn* connection);

  const std::string connection_string;
  ChangeSignal& signal;
  const Options options;
  int missed = 0;  // own notifications that did not come back
  asio::io_context loop;
  asio::steady_timer deadline;
  PGconn* attempted = nullptr;  // while it is being connected
  std::thread thread;
};

Awaitable<PostgresListener::Impl::Waited> PostgresListener::Impl::Ready(
    PGconn* connection, Descriptor::wait_type direction, Time end) {
  // A copy: the socket is libpq's to close, and may be another one at the next step.
  int copy = ::dup(PQsocket(connection));
  if (copy < 0) co_return Waited::kFailed;
  auto descriptor = std::make_shared<Descriptor>(loop, copy);
  asio::steady_timer timer(loop, end);
  timer.async_wait([waiting = std::weak_ptr(descriptor)](boost::system::error_code error) {
    auto still = waiting.lock();
    if (!error && still) still->cancel();
  });
  auto outcome = co_await descriptor->async_wait(direction, kQuietly);
  const boost::system::error_code error = std::get<0>(outcome);
  if (!error) co_return Waited::kReady;
  co_return error == asio::error::operation_aborted ? Waited::kTimeOver : Waited::kFailed;
}

Awaitable<bool> PostgresListener::Impl::Connect(PGconn* connection) {
  if (PQstatus(connection) == CONNECTION_BAD) co_return false;
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
    auto direction = next == PGRES_POLLING_READING ? Descriptor::wait_read : Descriptor::wait_write;
    // The attempt as a whole has a deadline.
    Waited waited = co_await Ready(connection, direction, Time::max());
    if (waited != Waited::kReady) co_return false;
    next = PQconnectPoll(connection);
  }
  co_return next == PGRES_POLLING_OK;
}

bool PostgresListener::Impl::Beat(PGconn* connection) {
  const bool deaf = ++missed > kMostMissed;
  if (deaf) signal.SetHears(false);
  // The one before is unanswered: the database is slow, or the connection hangs.
  if (PQisBusy(connection) != 0) return !deaf;
  return PQsendQuery(connection, "NOTIFY koya_change, 'beat'") == 1;
}

bool PostgresListener::Impl::TakeNotifications(PGconn* connection) {
  bool news = false;
  while (PGnotify* notification = PQnotifies(connection)) {
    const bool beat = std::string_view(notification->extra) == "beat";
    if (!beat) news = true;
    if (beat && notification->be_pid == PQbackendPID(connection)) {
      missed = 0;
      signal.SetHears(true);
    }
    PQfreemem(notification);
  }
  return news;
}

// Returns when the connection is lost.
Awaitable<void> PostgresListener::Impl::Listen(PGconn* connection) {
  if (PQsetnonblocking(connection, 1) != 0) co_return;
  if (PQsendQuery(connection, options.listen.c_str()) != 1) co_return;
  bool listening = false;
  Time beat = Time::clock::now() + options.heartbeat;
  while (true) {
    if (PQflush(connection) < 0) co_return;
    Waited waited = co_await Ready(connection, Descriptor::wait_read, beat);
    if (waited == Waited::kFailed) co_return;
    if (waited == Waited::kReady && PQconsumeInput(connection) != 1) co_return;
    bool news = false;
    while (PQisBusy(connection) == 0) {
      PGresult* result = PQgetResult(connection);
      if (result == nullptr) break;
      // LISTEN took effect: what came before it was not heard.
      if (!std::exchange(listening, true)) news = true;
      PQclear(result);
    }
    if (TakeNotifications(connection)) news = true;
    if (news) signal.Notify();
    if (Time::clock::now() < beat) continue;
    if (!Beat(connection)) co_return;
    beat = Time::clock::now() + options.heartbeat;
  }
}

Awaitable<void> PostgresListener::Impl::Run() {
  while (true) {
    {
      ListeningConnection connection(PQconnectStart(connection_string.c_str()), &PQfinish);
      PQsetNoticeProcessor(connection.get(), [](void*, const char*) {}, nullptr);
      attempted = connection.get();
      deadline.expires_after(kConnectDeadline);
      deadline.async_wait([this](boost::system::error_code error) {
        // A stalled attempt ends by having its socket shut: Ready() then returns.
        if (!error && attempted != nullptr) ::shutdown(PQsocket(attempted), SHUT_RDWR);
      });
      bool connected = co_await Connect(connection.get());
      attempted = nullptr;
      deadline.cancel();
      if (connected) co_await Listen(connection.get());
    }
    asio::steady_timer pause(loop, kPause);
    co_await pause.async_wait(kQuietly);
  }
}

PostgresListener::PostgresListener(std::string connection_string, ChangeSignal& signal,
                                   Options options)
    : impl_(std::make_unique<Impl>(std::move(connection_string), signal, std::move(options))) {
  asio::co_spawn(impl_->loop, impl_->Run(), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);  // a bug: nothing in it throws
  });
  impl_->thread = std::thread([impl = impl_.get()] { impl->loop.run(); });
}

PostgresListener::~PostgresListener() {
  impl_->loop.stop();
  impl_->thread.join();
}

}  // namespace koya::sql
