#include "http/server/server.h"

#include <fcntl.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "http/server/listener.h"
#include "http/server/loop.h"
#include "http/server/tls_context.h"

namespace koya::http {

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
