#include "app/catalog_care.h"

#include <memory>
#include <string>
#include <utility>

#include "app/server_secret.h"
#include "app/stores.h"
#include "base/run_task.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "service/operate/installation.h"

namespace koya {

Result<SchemaReport> MigrateSchema(const Settings& settings, bool contract) {
  return MigrateCatalog(CatalogOptionsOf(settings), contract);
}

Status TakeSecret(const Settings& settings) {
  ASSIGN_OR_RETURN(std::unique_ptr<Catalog> catalog, OpenCatalog(CatalogOptionsOf(settings)));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings));
  service::InstallationCheck installation(*catalog, std::move(secret), "");
  return RunTask(installation.Reseal());
}

Result<std::string> AdoptBucket(const Settings& settings) {
  if (settings.blobs.url.empty()) {
    return Fail(ErrorKind::kInvalid,
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
