#include "catalog/sql/engine/postgres_listener.h"

#include <libpq-fe.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

namespace koya::sql {
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
