#include "http/server/server.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/file.h"
#include "base/result.h"
#include "base/text.h"
#include "http/server/loop.h"
#include "http/server/tls_context.h"

namespace koya::http {
namespace {

// Several sockets on one address; the kernel distributes new connections among them.
struct Listeners {
  std::vector<UniqueFd> sockets;
  std::uint16_t port = 0;
};

constexpr int kBacklog = 1024;

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Failure BadAddress(std::string_view text) {
  return FailInvalid(
      "\"{}\" is not an address to listen on: write it as HOST:PORT, for "
      "example 127.0.0.1:8443 or [::1]:8443",
      Printable(text));
}

Result<HostPort> Split(std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return BadAddress(text);
  std::string_view host = text.substr(0, colon);
  std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return BadAddress(text);
  }
  auto port = ParseDecimal<std::uint16_t>(digits);
  if (!port || host.empty()) return BadAddress(text);
  return HostPort{std::string(host), *port};
}

Result<SocketAddress> Resolve(const HostPort& where, std::string_view text) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  std::string port = std::to_string(where.port);
  int code = getaddrinfo(where.host.c_str(), port.c_str(), &hints, &found);
  if (code != 0) {
    auto failure = BadAddress(text);
    failure.error().detail = gai_strerror(code);
    return failure;
  }
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  SocketAddress address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  return address;
}

Failure BindFailure(int error_number, std::string_view text) {
  std::string name = Printable(text);
  switch (error_number) {
    case EADDRINUSE:
      return FailUnavailable(
          "{} is in use by another program: stop it, or choose another port "
          "with --listen",
          name);
    case EACCES:
      return FailUnavailable(
          "this user cannot listen on {}: choose a port of 1024 or more with --listen", name);
    case EADDRNOTAVAIL:
      return FailInvalid(
          "{} is not an address of this machine: choose one with --listen, or 0.0.0.0 for all",
          name);
    default:
      return Failure(ErrnoError("listen on " + name, error_number));
  }
}

void SetOption(int socket, int level, int option) {
  int on = 1;
  setsockopt(socket, level, option, &on, sizeof on);
}

Result<UniqueFd> Bind(const SocketAddress& address, std::string_view text, bool shared) {
  int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  UniqueFd fd(socket(address.storage.ss_family, type, 0));
  if (!fd.valid()) return Failure(ErrnoError("open a socket", errno));
  SetOption(fd.get(), SOL_SOCKET, SO_REUSEADDR);
  if (shared) SetOption(fd.get(), SOL_SOCKET, SO_REUSEPORT);
  if (bind(fd.get(), address.get(), address.size) != 0) return BindFailure(errno, text);
  return fd;
}

void SetPort(SocketAddress& address, std::uint16_t port) {
  if (address.storage.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&address.storage)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port = htons(port);
  }
}

std::uint16_t PortOf(int socket) {
  SocketAddress address;
  address.size = sizeof address.storage;
  getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.size);
  if (address.storage.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<sockaddr_in6*>(&address.storage)->sin6_port);
  }
  return ntohs(reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port);
}

// Opens listening sockets.
// Listens on "HOST:PORT" or "[IPV6]:PORT" (port 0: a free one). Fails: kInvalid (not an address of
// that form, or not one of this machine), kUnavailable (the port is taken, or may not be taken).
Result<Listeners> Listen(std::string_view text, std::size_t count) {
  ASSIGN_OR_RETURN(HostPort where, Split(text));
  ASSIGN_OR_RETURN(SocketAddress address, Resolve(where, text));
  {
    // Sockets that share a port would share it with another server of this user's as well, in
    // silence: one that does not share finds out first.
    ASSIGN_OR_RETURN(UniqueFd probe, Bind(address, text, false));
    if (listen(probe.get(), 1) != 0) return BindFailure(errno, text);
    SetPort(address, PortOf(probe.get()));
  }
  Listeners listeners;
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(UniqueFd fd, Bind(address, text, true));
    if (listen(fd.get(), kBacklog) != 0) return BindFailure(errno, text);
    listeners.sockets.push_back(std::move(fd));
  }
  listeners.port = PortOf(listeners.sockets.front().get());
  return listeners;
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions options, const Router& router, Observer& observer, ErrorAnswer error_answer)
      : engine(std::move(options), router, observer, std::move(error_answer)) {}

  Status LoadTls();
  Status ParseProxies();
  void StartLoops();
  void End(std::chrono::milliseconds drain_deadline);

  Engine engine;
  Listeners listeners;  // between Bind() and Start()
  std::vector<std::unique_ptr<Loop>> loops;
  std::vector<std::thread> threads;
  std::uint16_t port = 0;
};

Status Server::Impl::LoadTls() {
  if (!engine.options.tls) return {};
  ASSIGN_OR_RETURN(TlsContextHandle context, LoadTlsContext(*engine.options.tls));
  Observer& observer = engine.observer;
  engine.tls = std::make_unique<ReloadingTlsContext>(
      *engine.options.tls, std::move(context), engine.options.certificate_check_interval,
      [&observer](const Status& outcome) { observer.OnTlsReloaded(outcome); });
  return {};
}

Status Server::Impl::ParseProxies() {
  for (const std::string& text : engine.options.trusted_proxies) {
    ASSIGN_OR_RETURN(AddressRange range, AddressRange::Parse(text));
    engine.trusted_proxies.push_back(range);
  }
  return {};
}

void Server::Impl::StartLoops() {
  for (UniqueFd& socket : listeners.sockets) {
    loops.push_back(std::make_unique<Loop>(engine));
    Loop& loop = *loops.back();
    int descriptor = fcntl(socket.get(), F_DUPFD_CLOEXEC, 0);
    threads.emplace_back([&loop, descriptor] { loop.Run(descriptor); });
  }
  listeners.sockets.clear();
}

void Server::Impl::End(std::chrono::milliseconds drain_deadline) {
  for (auto& loop : loops) loop->Drain(drain_deadline);
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  loops.clear();
  engine.tls.reset();
}

Server::Server(ServerOptions options, const Router& router, Observer& observer,
               ErrorAnswer error_answer)
    : impl_(std::make_unique<Impl>(std::move(options), router, observer, std::move(error_answer))) {
}

Server::~Server() { impl_->End(std::chrono::milliseconds(0)); }

Status Server::Bind() {
  RETURN_IF_ERROR(impl_->ParseProxies());
  RETURN_IF_ERROR(impl_->LoadTls());
  unsigned threads = impl_->engine.options.threads;
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  ASSIGN_OR_RETURN(impl_->listeners, Listen(impl_->engine.options.listen, threads));
  impl_->port = impl_->listeners.port;
  return {};
}

Status Server::Start() {
  if (impl_->listeners.sockets.empty()) RETURN_IF_ERROR(Bind());
  impl_->StartLoops();
  return {};
}

std::uint16_t Server::port() const { return impl_->port; }

void Server::Stop() { impl_->End(impl_->engine.options.drain_deadline); }

}  // namespace koya::http
