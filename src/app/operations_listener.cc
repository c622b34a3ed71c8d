#include "app/operations_listener.h"

#include <chrono>
#include <optional>

#include "api/common/reply.h"

namespace koya {
namespace {

http::ServerOptions OperationsOptions(const HostPort& listen) {
  http::ServerOptions options;
  options.listen = listen.ToString();
  options.threads = 1;
  options.max_connections = 100;
  options.drain_deadline = std::chrono::seconds(1);
  return options;
}

}  // namespace

OperationsListener::~OperationsListener() { Stop(); }

Status OperationsListener::Start(const Settings& settings) {
  std::optional<HostPort> listen = settings.metrics.listen;
  if (!listen && settings.server.dev) listen = HostPort{"127.0.0.1", 0};
  if (!listen) return {};
  auto server = std::make_unique<http::Server>(OperationsOptions(*listen), router_, observer_,
                                               api::EngineErrorReply);
  RETURN_IF_ERROR(server->Bind());
  RETURN_IF_ERROR(server->Start());
  server_ = std::move(server);
  return {};
}

void OperationsListener::Stop() {
  if (server_) server_->Stop();
  server_.reset();
}

}  // namespace koya
