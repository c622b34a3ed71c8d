#include "app/app.h"

#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/routes.h"
#include "app/operations_listener.h"
#include "app/process_limits.h"
#include "app/registry_server.h"
#include "app/server_secret.h"
#include "app/startup_retry.h"
#include "app/stores.h"
#include "base/run_task.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "service/operate/installation.h"

namespace koya {

Status Serve(const LoadedSettings& settings,
             const std::function<void(std::string_view line)>& announce) {
  RETURN_IF_ERROR(CheckForServing(settings));
  RaiseDescriptorLimit();
  KeepHeapsShort();
  // A client that hangs up shows as an error of the write, which is handled there.
  std::signal(SIGPIPE, SIG_IGN);
  LineWriter lines;
  Logger log(lines, settings.values.log.level);
  // Starts before anything slow, so that monitoring sees why the server is not ready yet.
  OperationsListener operations;
  RETURN_IF_ERROR(operations.Start(settings.values));
  StartupRetry patience(settings.values, log, operations.status());
  Result<Stores> stores = OpenStoresWithRetries(settings.values, log, patience);
  if (patience.stopped()) return {};
  if (!stores) return Failure(std::move(stores).error());
  // After the stores: they made the data folder, and hold the lock on it.
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings.values));
  RegistryServer server(settings.values, *std::move(stores), secret,
                        {lines, log, operations, &patience});
  Status started = server.Start();
  if (patience.stopped()) return {};
  RETURN_IF_ERROR(std::move(started));
  server.Run(announce);
  return {};
}

std::string ApiMarkdown() { return api::ApiMarkdown(); }

Result<SchemaReport> MigrateSchema(const Settings& settings, bool contract) {
  return MigrateCatalog(CatalogOptionsOf(settings), contract);
}

Result<CatalogSizes> CompactCatalog(const Settings& settings) {
  return CompactCatalog(CatalogOptionsOf(settings));
}

Status TakeSecret(const Settings& settings) {
  ASSIGN_OR_RETURN(std::unique_ptr<Catalog> catalog, OpenCatalog(CatalogOptionsOf(settings)));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings));
  service::InstallationCheck installation(*catalog, std::move(secret), "");
  return RunTask(installation.Reseal());
}

Result<std::string> AdoptBucket(const Settings& settings) {
  if (settings.blobs.url.empty()) {
    return FailInvalid(
        "blobs.url names no bucket: set it to the bucket to adopt, as on the servers "
        "(s3://BUCKET/PREFIX)");
  }
  LineWriter lines;
  Logger log(lines, LogLevel::kWarning);
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings, log));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings));
  service::InstallationCheck installation(*stores.catalog, std::move(secret),
                                          settings.server.secret_previous);
  ASSIGN_OR_RETURN(std::string id, RunTask(installation.Check(SecretPlace(settings))));
  RETURN_IF_ERROR(RunTask(stores.bucket->Adopt(MarkerOf(settings, std::move(id)))));
  return stores.bucket->where();
}

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
