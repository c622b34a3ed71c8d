#include "app/local_server.h"

#include <fmt/format.h>

#include <utility>

#include "app/descriptors.h"
#include "app/registry_server.h"
#include "app/server_secret.h"

namespace koya {
namespace {

// The settings of a server that only this process talks to.
Settings LocalSettings(Settings settings) {
  settings.server.dev = false;
  settings.server.insecure_http = true;
  settings.server.listen = HostPort{"127.0.0.1", 0};
  settings.server.trusted_proxies.clear();
  settings.metrics.listen.reset();
  settings.limits.token_requests = 0;
  settings.limits.token_bytes_per_day = 0;
  settings.log.level = LogLevel::kWarning;
  settings.log.access = false;
  return settings;
}

}  // namespace

struct LocalServer::Impl {
  Impl(Settings with, Stores stores, std::string_view secret)
      : settings(std::move(with)), server(settings, std::move(stores), secret) {}
  const Settings settings;
  RegistryServer server;
  std::string url;
  std::string token;
};

Result<std::unique_ptr<LocalServer>> LocalServer::Start(const Settings& settings) {
  RaiseDescriptorLimit();
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings));
  auto impl = std::make_unique<Impl>(LocalSettings(settings), std::move(stores), secret);
  impl->token = impl->server.MakeOwnToken();
  RETURN_IF_ERROR(impl->server.Start());
  impl->url = fmt::format("http://127.0.0.1:{}", impl->server.port());
  return std::unique_ptr<LocalServer>(new LocalServer(std::move(impl)));
}

LocalServer::LocalServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LocalServer::~LocalServer() { impl_->server.Stop(); }
const std::string& LocalServer::url() const { return impl_->url; }
const std::string& LocalServer::token() const { return impl_->token; }

}  // namespace koya
