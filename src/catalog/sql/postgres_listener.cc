#include "catalog/sql/postgres_listener.h"

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
#include <thread>
#include <tuple>

namespace koya::sql {
namespace asio = boost::asio;
namespace {

using ListeningConnection = std::unique_ptr<PGconn, void (*)(PGconn*)>;
using Descriptor = asio::posix::stream_descriptor;

constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds kPause{1};            // between attempts to connect
constexpr std::chrono::seconds kConnectDeadline{3};  // libpq's own limit is for blocking calls

}  // namespace

struct PostgresListener::Impl {
  Impl(std::string text, ChangeSignal& to)
      : connection_string(std::move(text)), signal(to), loop(1), deadline(loop) {}

  Awaitable<void> Run();
  Awaitable<bool> Connect(PGconn* connection);
  Awaitable<void> Listen(PGconn* connection);
  // Waits for the connection's socket. Returns whether it became ready.
  Awaitable<bool> Ready(PGconn* connection, Descriptor::wait_type direction);

  const std::string connection_string;
  ChangeSignal& signal;
  asio::io_context loop;
  asio::steady_timer deadline;
  PGconn* attempted = nullptr;  // while it is being connected
  std::thread thread;
};

Awaitable<bool> PostgresListener::Impl::Ready(PGconn* connection, Descriptor::wait_type direction) {
  // A copy: the socket is libpq's to close, and may be another one at the next step.
  int copy = ::dup(PQsocket(connection));
  if (copy < 0) co_return false;
  Descriptor descriptor(loop, copy);
  auto outcome = co_await descriptor.async_wait(direction, kQuietly);
  co_return !std::get<0>(outcome);
}

Awaitable<bool> PostgresListener::Impl::Connect(PGconn* connection) {
  if (PQstatus(connection) == CONNECTION_BAD) co_return false;
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
    auto direction = next == PGRES_POLLING_READING ? Descriptor::wait_read : Descriptor::wait_write;
    bool ready = co_await Ready(connection, direction);
    if (!ready) co_return false;
    next = PQconnectPoll(connection);
  }
  co_return next == PGRES_POLLING_OK;
}

// Returns when the connection is lost.
Awaitable<void> PostgresListener::Impl::Listen(PGconn* connection) {
  if (PQsetnonblocking(connection, 1) != 0) co_return;
  if (PQsendQuery(connection, "LISTEN koya_change") != 1) co_return;
  while (true) {
    if (PQflush(connection) < 0) co_return;
    bool ready = co_await Ready(connection, Descriptor::wait_read);
    if (!ready || PQconsumeInput(connection) != 1) co_return;
    bool news = false;
    while (PQisBusy(connection) == 0) {
      PGresult* result = PQgetResult(connection);
      if (result == nullptr) break;
      news = true;  // LISTEN took effect: what came before it was not heard
      PQclear(result);
    }
    while (PGnotify* notification = PQnotifies(connection)) {
      news = true;
      PQfreemem(notification);
    }
    if (news) signal.Notify();
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

PostgresListener::PostgresListener(std::string connection_string, ChangeSignal& signal)
    : impl_(std::make_unique<Impl>(std::move(connection_string), signal)) {
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
