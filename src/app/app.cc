#include "app/app.h"

#include <csignal>
#include <memory>
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

}  // namespace koya
