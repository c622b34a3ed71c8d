#include "http/server/loop.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <exception>
#include <utility>

#include "http/server/connection.h"
#include "http/server/tls_session.h"

namespace koya::http {
namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kTick{250};
constexpr std::chrono::milliseconds kAcceptPause{100};

bool IsAborted(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    return error.code() == asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

std::string Describe(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

// sendfile() knows no MSG_NOSIGNAL: a peer that is gone must not end the process.
void BlockBrokenPipeSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::string AddressOf(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

}  // namespace

Loop::Loop(Engine& engine)
    : engine_(engine),
      share_(engine),
      acceptor_(io_.get_executor()),
      ticker_(io_.get_executor()),
      accept_pause_(io_.get_executor()) {}

Loop::~Loop() = default;

void Loop::Run(int listener) {
  BlockBrokenPipeSignal();
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  auto protocol = address.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4();
  acceptor_.assign(protocol, listener);
  // Neither throws: a failure of the loop's own machinery is reported by Finish or ends Run.
  auto rethrow = [](const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
  };
  asio::co_spawn(io_, Accept(), rethrow);
  asio::co_spawn(io_, Tick(), rethrow);
  io_.run();
}

Awaitable<void> Loop::Accept() {
  while (!draining_) {
    ErrorCode error;
    asio::ip::tcp::endpoint unused;
    Socket socket =
        co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (draining_ || error == asio::error::operation_aborted) co_return;
    if (!error) {
      Admit(std::move(socket));
      continue;
    }
    bool goes_on = co_await SurviveAcceptError(error.value());
    if (!goes_on) co_return;
  }
}

// Out of descriptors or memory: the connection stays queued in the kernel, and a retry at once
// would spin, unless descriptors were released. Other errors (the peer has already disconnected)
// concern that one connection only.
Awaitable<bool> Loop::SurviveAcceptError(int error_number) {
  bool exhausted = error_number == EMFILE || error_number == ENFILE || error_number == ENOBUFS ||
                   error_number == ENOMEM;
  if (!exhausted) co_return true;
  bool descriptors = error_number == EMFILE || error_number == ENFILE;
  const std::function<bool()>& free_descriptors = engine_.options.free_descriptors;
  if (descriptors && free_descriptors && free_descriptors()) co_return true;
  engine_.observer.OnConnectionRefused("file_descriptors");
  ErrorCode ignored;
  accept_pause_.expires_after(kAcceptPause);
  co_await accept_pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return !draining_;
}

void Loop::Admit(Socket socket) {
  ErrorCode error;
  auto remote = socket.remote_endpoint(error);
  if (error) return;
  std::string address = AddressOf(remote.address());
  bool proxy = AnyContains(engine_.trusted_proxies, address);
  auto permit =
      engine_.limits.Admit(address, proxy ? Counted::kInAll : Counted::kInAllAndByAddress);
  if (!permit) {
    engine_.observer.OnConnectionRefused(permit.error());
    return;
  }
  socket.set_option(asio::ip::tcp::no_delay(true), error);
  socket.native_non_blocking(true, error);
  if (error) return;
  std::unique_ptr<TlsSession> tls;
  if (engine_.tls) tls = std::make_unique<TlsSession>(engine_.tls->current().get());
  Connection::Peer peer{std::move(address), *std::move(permit), proxy};
  Start(std::make_unique<Connection>(share_, std::move(socket), std::move(tls), std::move(peer)));
}

void Loop::Start(std::unique_ptr<Connection> connection) {
  Connection* raw = connection.get();
  raw->index = connections_.size();
  connections_.push_back(std::move(connection));
  engine_.observer.OnConnectionOpened();
  auto finish = [this, raw](const std::exception_ptr& failure) { Finish(raw, failure); };
  asio::co_spawn(io_, raw->Serve(),
                 asio::bind_cancellation_slot(raw->cancellation(), std::move(finish)));
}

void Loop::Finish(Connection* connection, const std::exception_ptr& failure) {
  if (failure && !IsAborted(failure)) engine_.observer.OnInternalError("", Describe(failure));
  std::size_t index = connection->index;
  std::swap(connections_[index], connections_.back());
  connections_[index]->index = index;
  connections_.pop_back();
  engine_.observer.OnConnectionClosed();
  StopTickingWhenEmpty();
}

Awaitable<void> Loop::Tick() {
  while (!draining_ || !connections_.empty()) {
    ErrorCode ignored;
    ticker_.expires_after(kTick);
    co_await ticker_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    LoopTime now = LoopNow();
    for (auto& connection : connections_) connection->Expire(now);
    if (now < cut_at_) continue;
    for (auto& connection : connections_) connection->Cut();
  }
}

void Loop::StopTickingWhenEmpty() {
  if (draining_ && connections_.empty()) ticker_.cancel();
}

void Loop::Drain(std::chrono::milliseconds deadline) {
  asio::post(io_, [this, deadline] { StartDraining(deadline); });
}

void Loop::StartDraining(std::chrono::milliseconds deadline) {
  draining_ = true;
  cut_at_ = LoopNow() + deadline.count();
  ErrorCode ignored;
  acceptor_.close(ignored);
  accept_pause_.cancel();
  for (auto& connection : connections_) connection->Drain();
  StopTickingWhenEmpty();
}

}  // namespace koya::http
