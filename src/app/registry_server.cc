#include "app/registry_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "api/common/mirror_services.h"
#include "api/routes.h"
#include "app/background.h"
#include "app/backup.h"
#include "app/dev_environment.h"
#include "app/mirror_parts.h"
#include "app/process_limits.h"
#include "app/server_metrics.h"
#include "app/server_secret.h"
#include "app/set_up.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "domain/host_name.h"
#include "http/server/tls_context.h"
#include "obs/metrics.h"
#include "service/mirror/mirror_space.h"
#include "service/mirror/pull_policy.h"
#include "service/operate/move_stores.h"

namespace koya {
namespace {

constexpr std::uint64_t kArchivePathBytes = 16u << 20;  // of memory, for where archives are found
constexpr std::uint64_t kLinkedBytes = 8u << 20;        // of what signed documents are made of

service::PublishOptions PublishOptionsOf(const Settings& settings,
                                         service::DefaultVisibility new_namespaces) {
  return {.upload_bytes = settings.limits.module_bytes,
          .archive = ModuleLimitsOf(settings),
          .new_namespaces = new_namespaces,
          .secrets = settings.publish.secrets};
}

service::DocsLimits DocsLimitsOf(const Settings& settings) {
  return {.docs = {.files = settings.limits.docs_files, .bytes = settings.limits.docs_bytes},
          .schema_bytes = settings.limits.schema_bytes};
}

service::AttachmentLimits AttachmentLimitsOf(const Settings& settings) {
  return {.bytes = settings.limits.attachment_bytes, .count = settings.limits.attachments};
}

service::ProviderPublishOptions ProviderOptionsOf(const Settings& settings,
                                                  service::DefaultVisibility new_namespaces) {
  return {.zip_bytes = settings.limits.provider_zip_bytes,
          .archive = ZipLimitsOf(settings),
          .docs = DocsLimitsOf(settings),
          .attachments = AttachmentLimitsOf(settings),
          .draft_ttl = settings.publish.draft_ttl,
          .new_namespaces = new_namespaces};
}

service::RequestAllowances AllowancesOf(const LimitSettings& limits) {
  return {.token = {limits.token_requests, limits.token_bytes_per_day},
          .address = {limits.address_requests, limits.address_bytes_per_day}};
}

http::ServerOptions PublicListener(const Settings& settings, const Stores& stores,
                                   const std::optional<http::TlsOptions>& tls, SpanSink* spans) {
  http::ServerOptions options;
  options.spans = spans;
  options.listen = settings.server.listen.ToString();
  options.tls = tls;
  if (options.tls) options.tls->http2 = settings.server.http2;
  options.threads = static_cast<unsigned>(settings.server.threads);
  options.trusted_proxies = settings.server.trusted_proxies;
  options.proxy_protocol = settings.server.proxy_protocol;
  options.max_header_bytes = settings.limits.header_bytes;
  options.max_connections = std::min<std::size_t>(
      settings.limits.connections, DescriptorBudget::Of(DescriptorLimit()).connections);
  options.max_connections_per_address = settings.limits.connections_per_address;
  options.header_deadline = settings.timeouts.header;
  options.idle_timeout = settings.timeouts.idle;
  options.body_stall_timeout = settings.timeouts.body_stall;
  options.drain_deadline = settings.timeouts.drain;
  // The certificate of --dev is known on this machine only, and its name serves other things too.
  options.strict_transport = !settings.server.dev;
  options.disk = stores.blob_readers.get();
  options.free_descriptors = [&files = *stores.open_files] { return files.GiveWay(); };
  return options;
}

// Distinguishes this server from others with the same URL.
std::string MachineName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::unique_ptr<TraceExporter> ExporterOf(const Settings& settings, Logger& log) {
  const std::string& endpoint = settings.observability.otlp_endpoint;
  if (endpoint.empty()) return nullptr;
  return std::make_unique<TraceExporter>(
      TraceExporter::Options{endpoint, KOYA_VERSION, MachineName()}, log);
}

std::vector<std::string> Patterns() {
  std::vector<std::string> patterns;
  for (const api::Route& route : api::Routes()) patterns.emplace_back(route.pattern);
  return patterns;
}

}  // namespace

RegistryServer::RegistryServer(const Settings& settings, Stores stores, std::string_view secret,
                               ServerDependencies around)
    : settings_(settings),
      log_(around.log),
      traces_(ExporterOf(settings, around.log)),
      stores_(std::move(stores)),
      lines_(around.lines),
      operations_(around.operations),
      patience_(around.patience),
      metrics_(around.operations.metrics()),
      sealer_(secret, settings_.server.secret_previous),
      signer_(secret, settings_.server.secret_previous),
      insides_(*stores_.catalog, *stores_.blobs, workers_, ModuleLimitsOf(settings_)),
      publisher_(*stores_.catalog, *stores_.blobs, workers_, changes_, insides_, judge_,
                 index_queue_, clock_,
                 PublishOptionsOf(settings_, service::DefaultVisibility(new_namespaces_))),
      provider_publisher_(
          *stores_.catalog, *stores_.blobs, signing_keys_, workers_, changes_, release_judge_,
          index_queue_, clock_,
          ProviderOptionsOf(settings_, service::DefaultVisibility(new_namespaces_))),
      attachments_(*stores_.catalog, *stores_.blobs, workers_, clock_,
                   AttachmentLimitsOf(settings_)),
      installation_(*stores_.catalog, std::string(secret), settings_.server.secret_previous),
      limits_(*stores_.catalog, log_, clock_, AllowancesOf(settings_.limits)),
      usage_(*stores_.catalog, log_, clock_,
             {.enabled = settings_.usage.enabled, .names_people = settings_.usage.people}),
      clients_({KOYA_VERSION, ReleaseTree(), settings_.web.client_trees,
                settings_.server.data / "clients"},
               large_workers_),
      sign_in_(*stores_.catalog, sessions_, password_work_, sign_in_throttle_, clock_, secret,
               settings_.server.secret_previous),
      form_tokens_(secret, settings_.server.secret_previous),
      archives_(kArchivePathBytes),
      linked_(kLinkedBytes),
      peer_keys_(peers::PeerKeys::Derive(secret, settings_.server.secret_previous)),
      observer_(settings_.log.access ? &access_log_ : nullptr, log_, metrics_, Patterns()) {}

RegistryServer::~RegistryServer() { operations_.Stop(); }

// The certificate's host is that of the URL, which needs no port: it is made before the bind.
Status RegistryServer::PrepareTls() {
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

std::filesystem::path RegistryServer::SetUpFile() const {
  return settings_.server.data / "setup.token";
}

namespace {

using Machine = api::OperationsView::Machine;

Machine LookAtMachine(const std::filesystem::path& data,
                      const std::optional<http::TlsOptions>& tls) {
  Machine seen;
  if (const auto disk = service::LookAtDisk(data)) {
    seen.disk = {.bytes = disk->blocks * disk->block_size,
                 .free_bytes = disk->free_blocks * disk->block_size};
  }
  if (!tls) return seen;
  Result<http::TlsContextHandle> context = http::LoadTlsContext(*tls);
  if (!context) return seen;
  if (const auto validity = http::ValidityOf(*context)) {
    seen.certificate_expires_at = validity->until;
  }
  return seen;
}

Awaitable<Machine> LookAtMachineOn(WorkerPool& workers, std::filesystem::path data,
                                   std::optional<http::TlsOptions> tls) {
  co_return co_await Offload(workers, [&] { return LookAtMachine(data, tls); });
}

}  // namespace

api::OperationsView RegistryServer::Operations() {
  return {
      .state =
          [&status = operations_.status()] {
            Readiness found = ReadinessOf(status.Now(), false);
            return api::OperationsView::State{found.ready, std::move(found.reasons)};
          },
      .metrics = [&metrics = metrics_] { return metrics.Render(); },
      .jobs = &job_runs_,
      .machine =
          [this] { return LookAtMachineOn(*stores_.blob_readers, settings_.server.data, tls_); },
      .database = settings_.catalog.url.starts_with("postgres") ? "PostgreSQL" : "SQLite",
      .store = settings_.blobs.url.empty() ? "folder" : "bucket",
      .backups = backups_.get()};
}

static api::SiteRules SiteRulesOf(const WebSettings& web) {
  return {.enabled = web.enabled,
          .mcp = web.mcp,
          .index = web.index,
          .name = web.name,
          .tagline_en = web.tagline_en,
          .tagline_ja = web.tagline_ja,
          .tagline_zh = web.tagline_zh,
          .version = KOYA_VERSION,
          .status_url = web.status_url};
}

void RegistryServer::BuildRoutes() {
  services_ = std::make_unique<api::Services>(api::Services{
      .modules = {.published = modules_,
                  .publisher = publisher_,
                  .insides = insides_,
                  .comparison = comparison_,
                  .readings = readings_},
      .providers = {.published = providers_,
                    .publisher = provider_publisher_,
                    .docs = provider_docs_,
                    .comparison = provider_comparison_,
                    .signing_keys = signing_keys_},
      .attachments = attachments_,
      .mirror = api::ServicesOf(mirror_->mirror()),
      .rights = {.tokens = tokens_,
                 .namespaces = namespaces_,
                 .namespace_admin = namespace_admin_,
                 .accounts = accounts_,
                 .explainer = access_explainer_},
      .sign_in = {.sessions = sessions_,
                  .sign_in = sign_in_,
                  .client_login = client_login_,
                  .first_run = first_run_,
                  .form_tokens = form_tokens_,
                  .on_set_up = [file = SetUpFile()] { SetUp::RemoveTokenFile(file); }},
      .identity = identity_->services(),
      .audit = {.entries = audit_, .denied = denied_},
      .usage = {.counter = usage_,
                .reports = usage_reports_,
                .callers = callers_,
                .most_fetched = most_fetched_,
                .versions_before = versions_before_},
      .search = {.index = search_, .examples = search_examples_, .reindexing = reindexing_},
      .upkeep = {.kept = kept_,
                 .published_check = *published_check_,
                 .storage = storage_,
                 .replicas = replicas_,
                 .installation = installation_,
                 .waiting = waiting_,
                 .clients = clients_,
                 .freeze = freeze_,
                 .garbage = garbage_planner_},
      .notifications = notifications_,
      .access = {.anonymous_read = settings_.access.anonymous,
                 .mirror = settings_.access.mirror,
                 .url_ttl = settings_.access.url_ttl},
      .limits = limits_,
      .documents = documents_,
      .archives = archives_,
      .linked = linked_,
      .signer = signer_,
      .readers = readers_,
      .log = log_,
      .clock = clock_,
      .module_upload_bytes = settings_.limits.module_bytes,
      .provider_zip_bytes = settings_.limits.provider_zip_bytes,
      .module_location = settings_.modules.location,
      .offline = {[this] { return changes_.SilentFor(); }, settings_.catalog.serve_stale},
      .site = SiteRulesOf(settings_.web),
      .operations = Operations()});
  router_ =
      std::make_unique<http::Router>(api::BindRoutes(*services_), api::BindElsewhere(*services_));
}

Status RegistryServer::PrepareMail() {
  ASSIGN_OR_RETURN(mail_,
                   MailParts::Create(
                       settings_,
                       {.mail = *stores_.catalog,
                        .watches = *stores_.catalog,
                        .accounts = *stores_.catalog,
                        .namespaces = namespaces_,
                        .waiting = waiting_,
                        .clock = clock_,
                        .log = log_},
                       [this] { return services_->url; },
                       [this](std::string_view id) { return api::EndMailPath(*services_, id); }));
  if (mail_) notifications_.UseMail(&mail_->notices());
  return {};
}

Status RegistryServer::Bind() {
  server_ = std::make_unique<http::Server>(
      PublicListener(settings_, stores_, tls_, traces_.get()), *router_, observer_,
      [this](const http::EngineError& error) { return api::EngineErrorAnswer(error, *services_); });
  RETURN_IF_ERROR(server_->Bind());
  services_->url = BaseUrl(settings_, server_->port());
  const std::string address = fmt::format("{}:{}", MachineName(), server_->port());
  leases_->SetAddress(address);
  backups_->SetAddress(address);
  return {};
}

// The names under which its own providers are asked for in the mirror.
Status RegistryServer::NameItself() {
  std::vector<std::string> names = settings_.server.names;
  if (names.empty()) names.emplace_back(services_->host());
  for (const std::string& name : names) {
    Result<HostName> own = HostName::ParseWire(name);
    // A server on an IPv6 address has no name that a client could write.
    if (!own && settings_.server.names.empty()) continue;
    if (!own) return std::unexpected(std::move(own).error());
    services_->own_names.push_back(*std::move(own));
  }
  return {};
}

Status RegistryServer::WriteDevelopmentFiles() {
  if (!settings_.server.dev) return {};
  DevPaths paths(settings_.server.data);
  ASSIGN_OR_RETURN(std::string kept, ReadDevToken(paths));
  ASSIGN_OR_RETURN(std::string token, EnsureDevAdminToken(tokens_, kept));
  DevAccess access{.url = services_->url, .token = std::move(token)};
  if (operations_.port() != 0) {
    access.metrics_url = fmt::format("http://127.0.0.1:{}", operations_.port());
  }
  return WriteDevFiles(paths, access);
}

void RegistryServer::WatchState() {
  log_.CountLimitsIn(metrics_);
  AddProcessMetrics(metrics_, KOYA_VERSION);
  AddCatalogMetrics(metrics_, {*stores_.catalog, changes_, *leases_, clock_, garbage_});
  mirror_->AddMetrics(metrics_);
  AddUsageMetrics(metrics_, usage_);
  AddReadingMetrics(metrics_, readings_.totals());
  AddIndexMetrics(metrics_, index_queue_);
  if (stores_.bucket) {
    stores_.bucket->AddMetrics(metrics_);
  } else {
    Bucket::AddUnusedMetrics(metrics_);
  }
  peers_->AddMetrics(metrics_);
  auto watch = [this](const std::string& name, const auto& cache) {
    auto read = [&cache](std::uint64_t CacheCounters::* member) {
      return [&cache, member] { return static_cast<double>(cache.Counters().*member); };
    };
    metrics_.WatchCounter(name + "_hits_total", "Responses found in the cache.",
                          read(&CacheCounters::hits));
    metrics_.WatchCounter(name + "_misses_total", "Responses that had to be generated.",
                          read(&CacheCounters::misses));
    metrics_.WatchGauge(name + "_entries", "Cached responses.", read(&CacheCounters::entries));
  };
  watch("koya_document_cache", documents_);
  watch("koya_archive_cache", archives_);
  metrics_.WatchGauge("koya_document_cache_bytes", "Memory that cached responses take.",
                      [this] { return static_cast<double>(documents_.Counters().cost); });
  metrics_.WatchGauge("koya_backup_age_seconds",
                      "Age of the newest backup in backup.to; 0 if that is not set.",
                      [this] { return static_cast<double>(backups_->Age()); });
  metrics_.WatchGauge("koya_open_archives", "Stored archives that are kept open.",
                      [this] { return static_cast<double>(stores_.open_files->count()); });
  metrics_.WatchCounter("koya_log_lines_dropped_total", "Log lines lost to a slow reader.",
                        [this] { return static_cast<double>(lines_.dropped()); });
}

// Connections that have no descriptor left to be accepted with would be a limit, too, and one that
// uploads and databases run into as well.
void RegistryServer::WarnOfFewDescriptors() {
  std::size_t limit = DescriptorLimit();
  std::size_t connections = DescriptorBudget::Of(limit).connections;
  if (connections >= settings_.limits.connections) return;
  log_.Warn(
      "limits.connections is lowered to half of this process's file descriptors: raise LimitNOFILE "
      "(ulimit -n)",
      {{"connections", connections}, {"descriptors", limit}});
}

// With some two million packages a SQLite file takes minutes to copy and to compact, while the
// server is stopped: see docs/operating.md.
void RegistryServer::WarnOfLargeCatalog() {
  constexpr std::uintmax_t kLarge = 4ULL << 30;
  constexpr std::string_view kScheme = "sqlite:";
  const std::string url = CatalogOptionsOf(settings_).url;
  if (!url.starts_with(kScheme)) return;
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(url.substr(kScheme.size()), failed);
  if (failed || bytes < kLarge) return;
  log_.Warn("the SQLite catalog is large: a move to PostgreSQL pays (docs/operating.md)",
            {{"bytes", bytes}});
}

void RegistryServer::ListenToChanges() {
  changes_.AddListener([this](std::string_view topic) { freeze_.Invalidate(topic); });
  changes_.AddListener([this](std::string_view topic) { namespaces_.Invalidate(topic); });
  changes_.AddListener([this](std::string_view topic) { documents_.Invalidate(topic); });
  changes_.AddListener([this](std::string_view topic) { archives_.Invalidate(topic); });
  changes_.AddListener([this](std::string_view topic) { linked_.Invalidate(topic); });
  changes_.AddListener([this](std::string_view topic) { known_tokens_.Invalidate(topic); });
  changes_.AddListener([this](std::string_view topic) { search_examples_.Invalidate(topic); });
}

void RegistryServer::LearnChoices() {
  Status learned = RunTask(first_run_.LearnChoices());
  if (!learned)
    log_.Failure("the choices of the first administrator could not be read; retrying",
                 learned.error());
}

Status RegistryServer::AskCatalog(const std::function<Status()>& step) {
  return patience_ == nullptr ? step() : patience_->Await(step);
}

// Everything that the catalog must have said before others can be answered.
Status RegistryServer::KnowCatalog() {
  RETURN_IF_ERROR(AskCatalog([this] { return RunTask(changes_.Start()); }));
  RunTask(clock_.Synchronize());
  RETURN_IF_ERROR(AskCatalog([this]() -> Status {
    ASSIGN_OR_RETURN(std::string id, RunTask(installation_.Check(SecretPlace(settings_))));
    backups_->SetOrigin({.program = KOYA_VERSION,
                         .schema = static_cast<std::uint64_t>(KnownSchemaStep()),
                         .catalog = id,
                         .secret_mark = installation_.MarkOf(id)});
    marker_ = MarkerOf(settings_, std::move(id));
    return {};
  }));
  RETURN_IF_ERROR(AskCatalog([this] { return CheckMoved(); }));
  return AskCatalog([this] { return CheckWhereBlobsAre(); });
}

Status RegistryServer::CheckMoved() {
  ASSIGN_OR_RETURN(const std::string to, RunTask(service::MovedMark(*stores_.catalog).Find()));
  if (to.empty()) return {};
  return FailRefused(
      "this registry was moved to {}: start servers with those settings. To go back, stop them and "
      "run \"koya admin move --take-back\" with these settings; versions published there since are "
      "not here",
      to);
}

// Whether blobs are kept where the catalog's are.
Status RegistryServer::CheckWhereBlobsAre() {
  std::string storage = stores_.bucket ? stores_.bucket->where() : "folder";
  ASSIGN_OR_RETURN(std::optional<StorageMismatch> elsewhere,
                   RunTask(stores_.catalog->KeepBlobsIn(storage)));
  if (!elsewhere) return {};
  return FailRefused(
      "blobs.url is {}, but the catalog's archives are in {} ({} for example) "
      "and would be missing: set blobs.url back to that, or move them "
      "with \"koya admin move\"",
      storage, elsewhere->storage, elsewhere->example);
}

// Whether a bucket is this catalog's.
Status RegistryServer::CheckStorage() {
  if (!stores_.bucket) return {};
  Status checked = RunTask(stores_.bucket->Check(marker_));
  if (checked || checked.error().kind != ErrorKind::kUnavailable) return checked;
  if (!settings_.server.wait) {
    checked.error().message = fmt::format(
        "the object store of blobs.url cannot be used now: {}. Fix the store or blobs.s3.endpoint, "
        "or start with --wait to serve what does not need the store until it responds",
        checked.error().message);
    return checked;
  }
  log_.Failure("the object store does not respond: waiting for it", checked.error());
  return {};
}

Status RegistryServer::JoinCluster() {
  leases_ = std::make_unique<service::Leases>(*stores_.catalog, MachineName());
  ASSIGN_OR_RETURN(peers::PeerKeys keys, std::move(peer_keys_));
  ASSIGN_OR_RETURN(peers_, PeerParts::Create(settings_, std::move(keys), *leases_, clock_));
  return {};
}

Status RegistryServer::Start() {
  RETURN_IF_ERROR(KnowCatalog());
  RETURN_IF_ERROR(CheckStorage());
  LearnChoices();
  RETURN_IF_ERROR(JoinCluster());
  ASSIGN_OR_RETURN(mirror_, MirrorParts::Create(settings_, stores_, changes_, clock_, uses_, log_,
                                                peers_->links(), index_queue_, freeze_));
  ListenToChanges();  // after the mirror's gate, which the caches follow
  ASSIGN_OR_RETURN(identity_, IdentityParts::Create(settings_, stores_, sealer_, clock_));
  published_check_ = std::make_unique<service::PublishedCheck>(
      *stores_.catalog, mirror_->mirror().review, clock_, log_);
  BuildRoutes();
  RETURN_IF_ERROR(PrepareMail());
  WatchState();
  RETURN_IF_ERROR(PrepareTls());
  RETURN_IF_ERROR(Bind());
  RETURN_IF_ERROR(NameItself());
  RETURN_IF_ERROR(AskCatalog([this] { return WriteDevelopmentFiles(); }));
  RETURN_IF_ERROR(peers_->Start());
  RETURN_IF_ERROR(server_->Start());
  operations_.status().Follow(
      [this] { return std::chrono::steady_clock::now() - changes_.ConfirmedAt(); },
      {settings_.catalog.serve_stale, settings_.access.offline_grace});
  if (stores_.bucket) {
    operations_.status().FollowStore([&bucket = *stores_.bucket] { return bucket.WhyNotReady(); });
  }
  operations_.status().SetPhase(ServingPhase::kServing);
  WarnOfLargeCatalog();
  log_.Info("serving", {{"url", services_->url},
                        {"data", settings_.server.data.string()},
                        {"metrics_port", operations_.port()}});
  return {};
}

}  // namespace koya
