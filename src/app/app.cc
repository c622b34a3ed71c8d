#include "app/app.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "api/reply.h"
#include "api/routes.h"
#include "app/background.h"
#include "app/descriptors.h"
#include "app/dev_admin.h"
#include "app/dev_environment.h"
#include "app/local_server.h"
#include "app/mirror_parts.h"
#include "app/operations.h"
#include "app/request_observer.h"
#include "app/server_secret.h"
#include "app/stores.h"
#include "base/run_task.h"
#include "http/server.h"
#include "obs/access_log.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "obs/process_metrics.h"
#include "service/change_feed.h"
#include "service/modules.h"
#include "service/providers.h"
#include "service/publish_module.h"
#include "service/publish_provider.h"
#include "service/signing_keys.h"
#include "service/tokens.h"
#include "signing/sealer.h"

namespace koya {
namespace {

constexpr std::uint64_t kArchivePaths = 16u << 20;  // bytes, for where archives are found
constexpr unsigned kDrainGrace = 5;                 // seconds after the drain deadline

service::PublishOptions PublishOptionsOf(const Settings& settings) {
  return {.upload_bytes = settings.limits.module_bytes,
          .archive = {.unpacked_bytes = settings.limits.module_unpacked_bytes,
                      .ratio = settings.limits.archive_ratio,
                      .entries = settings.limits.archive_entries}};
}

service::ProviderPublishOptions ProviderOptionsOf(const Settings& settings) {
  return {.zip_bytes = settings.limits.provider_zip_bytes,
          .archive = {.unpacked_bytes = settings.limits.provider_unpacked_bytes,
                      .ratio = settings.limits.archive_ratio,
                      .entries = settings.limits.archive_entries,
                      .unpacked_name = kProviderUnpackedLimit},
          .draft_ttl = settings.publish.draft_ttl};
}

http::ServerOptions PublicListener(const Settings& settings, const Stores& stores,
                                   const std::optional<http::TlsOptions>& tls) {
  http::ServerOptions options;
  options.listen = settings.server.listen.ToString();
  options.tls = tls;
  options.threads = static_cast<unsigned>(settings.server.threads);
  options.trusted_proxies = settings.server.trusted_proxies;
  options.max_header_bytes = settings.limits.header_bytes;
  options.max_connections = std::min<std::size_t>(
      settings.limits.connections, DescriptorBudget::Of(DescriptorLimit()).connections);
  options.max_connections_per_address = settings.limits.connections_per_address;
  options.header_deadline = settings.timeouts.header;
  options.idle_timeout = settings.timeouts.idle;
  options.body_stall_timeout = settings.timeouts.body_stall;
  options.drain_deadline = settings.timeouts.drain;
  options.disk = stores.blob_readers.get();
  options.free_descriptors = [&files = *stores.open_files] { return files.GiveWay(); };
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

// What /metrics says about requests to itself: nothing.
class SilentObserver final : public http::Observer {
 public:
  void OnRequest(const http::RequestRecord& /*record*/) override {}
};

std::vector<std::string> Patterns() {
  std::vector<std::string> patterns;
  for (const api::Route& route : api::Routes()) patterns.emplace_back(route.pattern);
  return patterns;
}

// Says that a server has stopped, once everything that was made after it is gone.
class Farewell {
 public:
  explicit Farewell(Logger& log) : log_(log) {}
  ~Farewell() {
    if (served_) log_.Info("stopped");
  }
  void NoteServed() { served_ = true; }

 private:
  Logger& log_;
  bool served_ = false;
};

// Everything a server is made of, in the order in which it is built; destroyed the other way round.
class App {
 public:
  App(const Settings& settings, Stores stores, std::string_view secret)
      : settings_(settings),
        log_(lines_, settings.log.level),
        stores_(std::move(stores)),
        sealer_(secret) {}

  // Fails: whatever keeps the server from answering, told for the operator.
  Status Start();
  // Announces, and serves until SIGTERM or SIGINT; then drains.
  void Run(const std::function<void(std::string_view line)>& announce);

  // For a server that lives as long as one command of this process.
  std::string MakeOwnToken() { return tokens_.MakeOwn(); }
  std::uint16_t port() const { return server_->port(); }
  void Stop() { server_->Stop(); }

 private:
  Status PrepareTls();
  Status Bind();
  Status WriteDevelopmentFiles();
  void WatchState();
  void WarnOfFewDescriptors();
  Status NameItself();

  const Settings& settings_;
  SystemClock clock_;
  LineWriter lines_;
  Logger log_;
  Farewell farewell_{log_};
  Stores stores_;
  AccessLog access_log_{lines_};
  Metrics metrics_;
  std::atomic<ServingPhase> phase_ = ServingPhase::kStarting;
  signing::Sealer sealer_;

  // Inspecting an archive of a gigabyte takes seconds: documents are not made on its threads.
  WorkerPool workers_{settings_.workers.threads};
  WorkerPool document_workers_{std::max<std::size_t>(2, settings_.workers.threads / 4)};
  service::ChangeFeed changes_{*stores_.catalog};
  service::Modules modules_{*stores_.catalog, *stores_.blobs, clock_};
  service::ModulePublisher publisher_{
      *stores_.catalog, *stores_.blobs, workers_, changes_, clock_, PublishOptionsOf(settings_)};
  service::SigningKeys signing_keys_{*stores_.catalog, sealer_, workers_, clock_};
  service::Providers providers_{*stores_.catalog, *stores_.blobs, clock_};
  service::ProviderPublisher provider_publisher_{*stores_.catalog,
                                                 *stores_.blobs,
                                                 signing_keys_,
                                                 workers_,
                                                 changes_,
                                                 clock_,
                                                 ProviderOptionsOf(settings_)};
  service::Tokens tokens_{*stores_.catalog, clock_, log_};
  api::DocumentCache documents_{settings_.cache.documents_bytes};
  api::ArchiveCache archives_{kArchivePaths};
  // After the caches: its threads announce changes to them until they have ended.
  std::unique_ptr<MirrorParts> mirror_;
  api::Services services_{.modules = modules_,
                          .publisher = publisher_,
                          .providers = providers_,
                          .provider_publisher = provider_publisher_,
                          .signing_keys = signing_keys_,
                          .tokens = tokens_,
                          .kept = service::KeptList(*stores_.catalog),
                          .documents = documents_,
                          .archives = archives_,
                          .workers = document_workers_,
                          .log = log_,
                          .clock = clock_,
                          .module_upload_bytes = settings_.limits.module_bytes,
                          .provider_zip_bytes = settings_.limits.provider_zip_bytes};

  http::Router router_{api::BindRoutes(services_)};
  RequestObserver observer_{settings_.log.access ? &access_log_ : nullptr, log_, metrics_,
                            Patterns()};
  OperationsState operations_state_{metrics_, changes_, phase_};
  http::Router operations_router_{OperationsRoutes(operations_state_)};
  SilentObserver operations_observer_;
  std::optional<http::TlsOptions> tls_;
  std::unique_ptr<http::Server> operations_;
  std::unique_ptr<http::Server> server_;
};

// The certificate's host is that of the URL, which needs no port: it is made before the bind.
Status App::PrepareTls() {
  if (settings_.server.insecure_http) return {};
  if (!settings_.server.dev) {
    tls_ = http::TlsOptions{settings_.tls.certificate.string(), settings_.tls.key.string()};
    return {};
  }
  DevPaths paths(settings_.server.data);
  RETURN_IF_ERROR(
      EnsureDevCertificates(paths, BaseUrl(settings_, settings_.server.listen.port), clock_));
  tls_ = http::TlsOptions{paths.certificate.string(), paths.key.string()};
  return {};
}

Status App::Bind() {
  server_ = std::make_unique<http::Server>(PublicListener(settings_, stores_, tls_), router_,
                                           observer_, api::EngineErrorBody);
  RETURN_IF_ERROR(server_->Bind());
  services_.url = BaseUrl(settings_, server_->port());

  std::optional<HostPort> metrics = settings_.metrics.listen;
  if (!metrics && settings_.server.dev) metrics = HostPort{"127.0.0.1", 0};
  if (!metrics) return {};
  operations_ = std::make_unique<http::Server>(OperationsListener(*metrics), operations_router_,
                                               operations_observer_, api::EngineErrorBody);
  return operations_->Bind();
}

// The names under which its own providers are asked for in the mirror.
Status App::NameItself() {
  std::vector<std::string> names = settings_.server.names;
  if (names.empty()) names.emplace_back(services_.host());
  for (const std::string& name : names) {
    Result<HostName> own = HostName::ParseWire(name);
    // A server on an IPv6 address has no name that a client could write.
    if (!own && settings_.server.names.empty()) continue;
    if (!own) return std::unexpected(std::move(own).error());
    services_.own_names.push_back(*std::move(own));
  }
  return {};
}

Status App::WriteDevelopmentFiles() {
  if (!settings_.server.dev) return {};
  DevPaths paths(settings_.server.data);
  ASSIGN_OR_RETURN(std::string kept, ReadDevToken(paths));
  ASSIGN_OR_RETURN(std::string token, EnsureDevAdminToken(*stores_.catalog, tokens_, kept));
  DevAccess access{.url = services_.url, .token = std::move(token)};
  if (operations_) access.metrics_url = fmt::format("http://127.0.0.1:{}", operations_->port());
  return WriteDevFiles(paths, access);
}

void App::WatchState() {
  log_.CountLimitsIn(metrics_);
  AddProcessMetrics(metrics_, KOYA_VERSION);
  mirror_->AddMetrics(metrics_);
  auto watch = [this](const std::string& name, const auto& cache) {
    auto read = [&cache](std::uint64_t api::CacheCounters::* member) {
      return [&cache, member] { return static_cast<double>(cache.Counters().*member); };
    };
    metrics_.WatchCounter(name + "_hits_total", "Answers found in the cache.",
                          read(&api::CacheCounters::hits));
    metrics_.WatchCounter(name + "_misses_total", "Answers that had to be made.",
                          read(&api::CacheCounters::misses));
    metrics_.WatchGauge(name + "_entries", "Answers held.", read(&api::CacheCounters::entries));
  };
  watch("koya_document_cache", documents_);
  watch("koya_archive_cache", archives_);
  metrics_.WatchGauge("koya_document_cache_bytes", "Memory that held answers take.",
                      [this] { return static_cast<double>(documents_.Counters().cost); });
  metrics_.WatchGauge("koya_open_archives", "Stored archives that are kept open.",
                      [this] { return static_cast<double>(stores_.open_files->count()); });
  metrics_.WatchCounter("koya_log_lines_dropped_total", "Log lines lost to a slow reader.",
                        [this] { return static_cast<double>(lines_.dropped()); });
}

// Connections that have no descriptor left to be accepted with would be a limit, too, and one that
// uploads and databases run into as well.
void App::WarnOfFewDescriptors() {
  std::size_t limit = DescriptorLimit();
  std::size_t connections = DescriptorBudget::Of(limit).connections;
  if (connections >= settings_.limits.connections) return;
  log_.Warn(
      "fewer connections are taken than limits.connections says: half of the descriptors "
      "that this process may have (LimitNOFILE, ulimit -n)",
      {{"connections", connections}, {"descriptors", limit}});
}

Status App::Start() {
  changes_.AddListener([this](std::string_view topic) { documents_.Invalidate(topic); });
  changes_.AddListener([this](std::string_view topic) { archives_.Invalidate(topic); });
  RETURN_IF_ERROR(RunTask(changes_.Start()));
  ASSIGN_OR_RETURN(mirror_, MirrorParts::Create(settings_, stores_, changes_, clock_, log_));
  services_.mirror = &mirror_->mirror();
  services_.module_mirror = &mirror_->module_mirror();
  services_.stock = &mirror_->stock();
  services_.import = &mirror_->import();
  services_.check = &mirror_->check();
  services_.published_check = &mirror_->published_check();
  WatchState();
  RETURN_IF_ERROR(PrepareTls());
  RETURN_IF_ERROR(Bind());
  RETURN_IF_ERROR(NameItself());
  RETURN_IF_ERROR(WriteDevelopmentFiles());
  if (operations_) RETURN_IF_ERROR(operations_->Start());
  RETURN_IF_ERROR(server_->Start());
  phase_ = ServingPhase::kServing;
  log_.Info("serving", {{"url", services_.url},
                        {"data", settings_.server.data.string()},
                        {"metrics_port", operations_ ? operations_->port() : 0}});
  return {};
}

void App::Run(const std::function<void(std::string_view line)>& announce) {
  farewell_.NoteServed();
  WarnOfFewDescriptors();
  std::jthread stopper;
  BackgroundWork work{
      .catalog = *stores_.catalog,
      .blobs = *stores_.blobs,
      .open_files = *stores_.open_files,
      .workers = *stores_.blob_readers,
      .changes = changes_,
      .log = log_,
      .garbage_grace = settings_.blobs.gc_grace,
      .mirror_bound = {settings_.mirror.max_bytes, mirror_->hosts()},
  };
  BackgroundEvents events;
  events.on_ready = [&] { announce("koya: ready " + services_.url); };
  events.on_stop = [&](int signal) {
    log_.Info("stopping: running requests may finish",
              {{"signal", signal}, {"deadline_s", settings_.timeouts.drain.count()}});
    phase_ = ServingPhase::kStopping;
    // A disk or a database that hangs must not keep the process for ever: what would have been
    // written is either whole or absent, as after a crash.
    ::alarm(static_cast<unsigned>(settings_.timeouts.drain.count()) + kDrainGrace);
    stopper = std::jthread([this] {
      server_->Stop();
      // Nobody waits any more for what other registries have not sent yet.
      mirror_->Stop();
    });
  };
  RunBackground(work, events);
  if (stopper.joinable()) stopper.join();
  if (operations_) operations_->Stop();
}

// The settings of a server that only this process talks to.
Settings LocalSettings(Settings settings) {
  settings.server.dev = false;
  settings.server.insecure_http = true;
  settings.server.listen = HostPort{"127.0.0.1", 0};
  settings.server.trusted_proxies.clear();
  settings.metrics.listen.reset();
  settings.log.level = LogLevel::kWarning;
  settings.log.access = false;
  return settings;
}

}  // namespace

struct LocalServer::Impl {
  Impl(Settings with, Stores stores, std::string_view secret)
      : settings(std::move(with)), app(settings, std::move(stores), secret) {}
  const Settings settings;
  App app;
  std::string url;
  std::string token;
};

Result<std::unique_ptr<LocalServer>> LocalServer::Start(const Settings& settings) {
  RaiseDescriptorLimit();
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings));
  auto impl = std::make_unique<Impl>(LocalSettings(settings), std::move(stores), secret);
  impl->token = impl->app.MakeOwnToken();
  RETURN_IF_ERROR(impl->app.Start());
  impl->url = fmt::format("http://127.0.0.1:{}", impl->app.port());
  return std::unique_ptr<LocalServer>(new LocalServer(std::move(impl)));
}

LocalServer::LocalServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LocalServer::~LocalServer() { impl_->app.Stop(); }
const std::string& LocalServer::url() const { return impl_->url; }
const std::string& LocalServer::token() const { return impl_->token; }

Status Serve(const LoadedSettings& settings,
             const std::function<void(std::string_view line)>& announce) {
  RETURN_IF_ERROR(CheckForServing(settings));
  RaiseDescriptorLimit();
  // A client that hangs up shows as an error of the write, which is handled there.
  std::signal(SIGPIPE, SIG_IGN);
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings.values));
  // After the stores: they made the data folder, and hold the lock on it.
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings.values));
  App app(settings.values, std::move(stores), secret);
  RETURN_IF_ERROR(app.Start());
  app.Run(announce);
  return {};
}

std::string ApiMarkdown() { return api::ApiMarkdown(); }

}  // namespace koya
