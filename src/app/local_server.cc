#include "app/local_server.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/process_limits.h"
#include "app/registry_server.h"
#include "app/server_secret.h"
#include "obs/line_writer.h"
#include "obs/log.h"

namespace koya {
namespace {

// The settings of a server that only this process talks to.
Settings LocalSettings(Settings settings) {
  settings.server.dev = false;
  settings.server.insecure_http = true;
  settings.server.listen = HostPort{"127.0.0.1", 0};
  settings.server.trusted_proxies.clear();
  settings.server.proxy_protocol = false;
  settings.metrics.listen.reset();
  settings.observability.otlp_endpoint.clear();
  settings.mail = {};
  settings.limits.token_requests = 0;
  settings.limits.token_bytes_per_day = 0;
  settings.log.level = LogLevel::kWarning;
  settings.log.access = false;
  return settings;
}

}  // namespace

struct LocalServer::Impl {
  explicit Impl(Settings with) : settings(std::move(with)) {}
  const Settings settings;
  LineWriter lines;
  Logger log{lines, settings.log.level};
  OperationsListener operations;  // answers nowhere
  std::optional<RegistryServer> server;
  std::string url;
  std::string token;
};

Result<std::unique_ptr<LocalServer>> LocalServer::Start(const Settings& settings) {
  RaiseDescriptorLimit();
  auto impl = std::make_unique<Impl>(LocalSettings(settings));
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings, impl->log));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings));
  RegistryServer& server =
      impl->server.emplace(impl->settings, std::move(stores), secret,
                           ServerDependencies{impl->lines, impl->log, impl->operations});
  impl->token = server.MakeOwnToken();
  RETURN_IF_ERROR(server.Start());
  impl->url = fmt::format("http://127.0.0.1:{}", server.port());
  return std::unique_ptr<LocalServer>(new LocalServer(std::move(impl)));
}

LocalServer::LocalServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LocalServer::~LocalServer() { impl_->server->Stop(); }
const std::string& LocalServer::url() const { return impl_->url; }
const std::string& LocalServer::token() const { return impl_->token; }

}  // namespace koya
