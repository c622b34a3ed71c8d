#include "app/app.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "api/reply.h"
#include "api/routes.h"
#include "app/background.h"
#include "app/dev_admin.h"
#include "app/dev_environment.h"
#include "app/operations.h"
#include "app/request_observer.h"
#include "app/stores.h"
#include "base/run_task.h"
#include "http/server.h"
#include "obs/access_log.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "service/change_feed.h"
#include "service/modules.h"
#include "service/publish_module.h"
#include "service/tokens.h"

namespace koya {
namespace {

constexpr std::uint64_t kOpenArchives = 1024;

service::PublishOptions PublishOptionsOf(const Settings& settings, const Stores& stores) {
  return {.upload_bytes = settings.limits.module_bytes,
          .archive = {.unpacked_bytes = settings.limits.module_unpacked_bytes,
                      .ratio = settings.limits.archive_ratio,
                      .entries = settings.limits.archive_entries},
          .scratch_folder = stores.scratch_folder};
}

http::ServerOptions PublicListener(const Settings& settings,
                                   const std::optional<http::TlsOptions>& tls) {
  http::ServerOptions options;
  options.listen = settings.server.listen.ToString();
  options.tls = tls;
  options.threads = static_cast<unsigned>(settings.server.threads);
  options.trusted_proxies = settings.server.trusted_proxies;
  options.max_header_bytes = settings.limits.header_bytes;
  options.max_connections = settings.limits.connections;
  options.max_connections_per_address = settings.limits.connections_per_address;
  options.header_deadline = settings.timeouts.header;
  options.idle_timeout = settings.timeouts.idle;
  options.body_stall_timeout = settings.timeouts.body_stall;
  options.drain_deadline = settings.timeouts.drain;
  return options;
}

http::ServerOptions OperationsListener(const HostPort& listen) {
  http::ServerOptions options;
  options.listen = listen.ToString();
  options.threads = 1;
  options.max_connections = 100;
  options.drain_deadline = std::chrono::seconds(1);
  return options;
}

// Everything a server is made of, in the order in which it is built; destroyed the other way round.
class App {
 public:
  App(const Settings& settings, Stores stores)
      : settings_(settings), stores_(std::move(stores)), log_(lines_, settings.log.level) {}

  Status Start();
  void RunUntilStopped();

  const std::string& url() const { return services_.url; }

 private:
  Status PrepareTls();
  Status StartOperations();
  Status WriteDevelopmentFiles();
  void WatchCaches();

  const Settings& settings_;
  Stores stores_;
  SystemClock clock_;
  LineWriter lines_;
  Logger log_;
  AccessLog access_log_{lines_};
  Metrics metrics_;
  std::atomic<bool> draining_ = false;

  WorkerPool archive_workers_{settings_.workers.threads};
  service::ChangeFeed changes_{*stores_.catalog};
  service::Modules modules_{*stores_.catalog, *stores_.blobs, changes_, clock_};
  service::ModulePublisher publisher_{*stores_.catalog, *stores_.blobs,
                                      archive_workers_, changes_,
                                      clock_,           PublishOptionsOf(settings_, stores_)};
  service::Tokens tokens_{*stores_.catalog, clock_};
  api::DocumentCache documents_{settings_.cache.documents_bytes};
  api::ArchiveCache archives_{kOpenArchives * api::kArchiveCost};
  api::Services services_{
      modules_, publisher_, tokens_, documents_, archives_, settings_.limits.module_bytes, {}};

  http::Router router_{api::BindRoutes(services_)};
  RequestObserver observer_{settings_.log.access ? &access_log_ : nullptr, log_, metrics_};
  OperationsState operations_state_{metrics_, *stores_.catalog, draining_};
  http::Router operations_router_{OperationsRoutes(operations_state_)};
  http::Observer operations_observer_;
  std::optional<http::TlsOptions> tls_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Server> operations_;
};

}  // namespace
}  // namespace koya
