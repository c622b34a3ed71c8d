#include "app/mirror_parts.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/work_folder.h"
#include "clients/kept_credentials.h"
#include "upstream/credentials.h"
#include "upstream/exchange_clock.h"
#include "upstream/fetcher.h"
#include "upstream/mirror_source.h"
#include "upstream/modules/registry_modules.h"
#include "upstream/registry_source.h"
#include "upstream/service_directory.h"

namespace koya {
namespace {

upstream::UpstreamOptions OptionsOf(const Settings& settings) {
  upstream::UpstreamOptions options;
  options.user_agent = "koya/" KOYA_VERSION;
  options.ca_file = settings.upstream.ca_file.string();
  if (options.ca_file.empty()) {
    // libcurl does not read it by itself, and clients and doctor do.
    const char* ca_file = std::getenv("SSL_CERT_FILE");
    if (ca_file != nullptr) options.ca_file = ca_file;
  }
  options.timeout = settings.upstream.timeout;
  options.archive_timeout = settings.upstream.archive_timeout;
  options.min_rate = settings.upstream.min_rate;
  options.git_memory = settings.limits.git_memory;
  options.allow_private_addresses = settings.upstream.allow_private_addresses;
  options.breaker_failures = static_cast<unsigned>(settings.upstream.breaker_failures);
  options.negative_ttl = settings.mirror.negative_ttl;
  return options;
}

service::DiskRoom RoomOf(const Settings& settings, const Stores& stores) {
  return {.folder = stores.scratch_folder, .least_percent = settings.mirror.min_free};
}

service::FetchOptions FetchOptionsOf(const Settings& settings, const Stores& stores) {
  return {.zip_bytes = settings.limits.provider_zip_bytes,
          .archive = {.unpacked_bytes = settings.limits.provider_unpacked_bytes,
                      .ratio = settings.limits.archive_ratio,
                      .entries = settings.limits.archive_entries,
                      .unpacked_name = kProviderUnpackedLimit},
          .room = RoomOf(settings, stores)};
}

service::ModuleFetchOptions ModuleFetchOptionsOf(const Settings& settings, const Stores& stores) {
  return {.bounds = {.package_bytes = settings.limits.module_bytes},
          .archive = {.unpacked_bytes = settings.limits.module_unpacked_bytes,
                      .ratio = settings.limits.archive_ratio,
                      .entries = settings.limits.archive_entries},
          .scratch_folder = stores.scratch_folder,
          .room = RoomOf(settings, stores)};
}

service::ImportOptions ImportOptionsOf(const Settings& settings) {
  return {.zip_bytes = settings.limits.provider_zip_bytes,
          .zip = {.unpacked_bytes = settings.limits.provider_unpacked_bytes,
                  .ratio = settings.limits.archive_ratio,
                  .entries = settings.limits.archive_entries,
                  .unpacked_name = kProviderUnpackedLimit},
          .module_bytes = settings.limits.module_bytes,
          .module = {.unpacked_bytes = settings.limits.module_unpacked_bytes,
                     .ratio = settings.limits.archive_ratio,
                     .entries = settings.limits.archive_entries}};
}

// "NAME argument…".
std::optional<upstream::CredentialsHelper> HelperOf(std::string_view text) {
  if (text.empty()) return std::nullopt;
  upstream::CredentialsHelper helper;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word(text.substr(begin, end - begin));
    begin = end + 1;
    if (word.empty()) continue;
    if (helper.program.empty()) {
      helper.program = std::move(word);
    } else {
      helper.arguments.push_back(std::move(word));
    }
  }
  return helper;
}

// What stands in the settings in words, read.
struct Read {
  std::map<std::string, std::string> tokens;
  std::vector<clients::KeptCredential> kept;
  std::optional<upstream::CredentialsHelper> helper;
  service::PullPolicy policy;
};

Result<Read> ReadSettings(const Settings& settings) {
  Read read;
  std::vector<HostName> hosts;
  for (const std::string& text : settings.upstream.hosts) {
    ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(text));
    hosts.push_back(std::move(host));
  }
  for (const std::string& text : settings.upstream.tokens) {
    std::size_t equals = text.find('=');
    ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(text.substr(0, equals)));
    read.tokens[host.ascii()] = text.substr(equals + 1);
  }
  ASSIGN_OR_RETURN(read.kept, clients::ReadKeptCredentials(ProcessEnvironment()));
  read.helper = HelperOf(settings.upstream.credentials_helper);
  ASSIGN_OR_RETURN(read.policy, service::PullPolicy::Make(settings.policy.allow,
                                                          settings.policy.deny, std::move(hosts)));
  return read;
}

// Providers come from a network mirror where there is one, else from their registries. Fails:
// kInvalid for a network mirror that is none.
Result<std::unique_ptr<upstream::ProviderSource>> ProvidersOf(const Settings& settings,
                                                              upstream::Fetcher& fetcher,
                                                              upstream::ServiceDirectory& services,
                                                              const upstream::TokenSource& tokens) {
  const std::string& mirror = settings.upstream.network_mirror;
  if (mirror.empty()) {
    return std::make_unique<upstream::RegistrySource>(fetcher, services, tokens);
  }
  ASSIGN_OR_RETURN(upstream::MirrorSource source,
                   upstream::MirrorSource::Create(fetcher, tokens, mirror));
  return std::make_unique<upstream::MirrorSource>(std::move(source));
}

// The client side: what asks other registries.
struct UpstreamParts {
  UpstreamParts(Read& read, std::unique_ptr<upstream::ExchangeClock> with_clock,
                std::unique_ptr<upstream::Fetcher> with, Logger& log)
      : clock(std::move(with_clock)),
        fetcher(std::move(with)),
        credentials(std::move(read.tokens), std::move(read.kept), std::move(read.helper), *clock),
        tokens(credentials.Source([&log](const Error& error) {
          log.Failure("a registry is asked without credentials", error);
        })),
        services(*fetcher, tokens),
        modules(*fetcher, services, tokens) {}

  static Result<std::unique_ptr<UpstreamParts>> Create(const Settings& settings, Read& read,
                                                       Logger& log) {
    auto clock = std::make_unique<upstream::SystemExchangeClock>();
    ASSIGN_OR_RETURN(std::unique_ptr<upstream::Fetcher> fetcher,
                     upstream::Fetcher::Create(OptionsOf(settings), *clock));
    auto parts = std::make_unique<UpstreamParts>(read, std::move(clock), std::move(fetcher), log);
    ASSIGN_OR_RETURN(parts->providers,
                     ProvidersOf(settings, *parts->fetcher, parts->services, parts->tokens));
    return parts;
  }

  std::unique_ptr<upstream::ExchangeClock> clock;
  std::unique_ptr<upstream::Fetcher> fetcher;
  upstream::Credentials credentials;
  upstream::TokenSource tokens;
  upstream::ServiceDirectory services;
  upstream::RegistryModules modules;
  std::unique_ptr<upstream::ProviderSource> providers;
};

service::MirrorOptions MirrorOptionsOf(const Settings& settings) {
  return {.freshness = settings.mirror.freshness, .document_patience = settings.upstream.timeout};
}

service::ModuleMirrorOptions ModuleOptionsOf(const Settings& settings) {
  return {.enabled = settings.mirror.modules, .freshness = settings.mirror.freshness};
}

}  // namespace

struct MirrorParts::Impl {
  Impl(const Settings& settings, const Stores& stores, std::unique_ptr<UpstreamParts> with,
       service::PullPolicy rules, service::ChangeFeed& changes, const Clock& clock, Logger& log)
      : upstream(std::move(with)),
        policy(std::move(rules)),
        context{.catalog = *stores.catalog,
                .blobs = *stores.blobs,
                .pools = pools,
                .policy = policy,
                .clock = clock,
                .log = log},
        stock_parts{.catalog = *stores.catalog,
                    .blobs = *stores.blobs,
                    .workers = pools.workers,
                    .changes = changes,
                    .policy = policy,
                    .clock = clock,
                    .log = log},
        fetch(context, *upstream->providers, FetchOptionsOf(settings, stores)),
        mirror(context, *upstream->providers, fetch, MirrorOptionsOf(settings)),
        module_fetch(context, upstream->modules, ModuleFetchOptionsOf(settings, stores)),
        module_mirror(context, upstream->modules, module_fetch, ModuleOptionsOf(settings)),
        stock(stock_parts),
        import(stock_parts, ImportOptionsOf(settings)),
        review{*stores.blobs, pools.workers, ImportOptionsOf(settings).module,
               ImportOptionsOf(settings).zip},
        check(stock_parts, review, fetch),
        published_check(*stores.catalog, review, clock, log) {}

  std::unique_ptr<UpstreamParts> upstream;
  service::PullPolicy policy;
  service::MirrorContext context;
  service::StockParts stock_parts;
  service::UpstreamFetch fetch;
  service::ProviderMirror mirror;
  service::ModuleFetch module_fetch;
  service::ModuleMirror module_mirror;
  service::MirrorStock stock;
  service::MirrorImport import;
  service::ArchiveReview review;
  service::MirrorCheck check;
  service::PublishedCheck published_check;
  service::MirrorPools pools;  // last, so that its threads end before what they use
};

Result<std::unique_ptr<MirrorParts>> MirrorParts::Create(const Settings& settings,
                                                         const Stores& stores,
                                                         service::ChangeFeed& changes,
                                                         const Clock& clock, Logger& log) {
  ASSIGN_OR_RETURN(Read read, ReadSettings(settings));
  ASSIGN_OR_RETURN(std::unique_ptr<UpstreamParts> upstream,
                   UpstreamParts::Create(settings, read, log));
  WorkFolder::RemoveLeftovers(stores.scratch_folder);
  auto impl = std::make_unique<Impl>(settings, stores, std::move(upstream), std::move(read.policy),
                                     changes, clock, log);
  return std::unique_ptr<MirrorParts>(new MirrorParts(std::move(impl)));
}

MirrorParts::MirrorParts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MirrorParts::~MirrorParts() { Stop(); }

service::ProviderMirror& MirrorParts::mirror() { return impl_->mirror; }
service::ModuleMirror& MirrorParts::module_mirror() { return impl_->module_mirror; }
service::MirrorStock& MirrorParts::stock() { return impl_->stock; }
service::MirrorImport& MirrorParts::import() { return impl_->import; }
service::MirrorCheck& MirrorParts::check() { return impl_->check; }
service::PublishedCheck& MirrorParts::published_check() { return impl_->published_check; }
const std::vector<HostName>& MirrorParts::hosts() const { return impl_->policy.hosts(); }
void MirrorParts::Stop() { impl_->pools.Stop(); }

void MirrorParts::AddMetrics(Metrics& metrics) {
  const service::FetchCounters& counters = impl_->fetch.counters();
  auto watch = [&metrics](const std::string& name, const std::string& help,
                          const std::atomic<std::uint64_t>& counter) {
    metrics.WatchCounter(name, help, [&counter] { return static_cast<double>(counter.load()); });
  };
  watch("koya_mirror_releases_total", "Releases of other registries that were verified and pinned.",
        counters.releases);
  watch("koya_mirror_packages_total", "Packages of other registries that were fetched and kept.",
        counters.packages);
  watch("koya_mirror_bytes_total", "Bytes of packages that came from other registries.",
        counters.bytes);
  watch("koya_mirror_failures_total", "Exchanges with other registries that failed.",
        counters.failures);
  watch("koya_mirror_changed_total",
        "Packages that were refused because they are not what was seen first.", counters.changed);
  auto watch_lists = [this, &metrics](const std::string& name, const std::string& help,
                                      std::atomic<std::uint64_t> service::ListCounters::* which) {
    metrics.WatchCounter(name, help, [this, which] {
      const auto& providers = impl_->mirror.list_counters();
      return static_cast<double>((providers.*which).load() +
                                 (impl_->module_mirror.list_counters().*which).load());
    });
  };
  watch_lists("koya_mirror_list_failures_total",
              "Lists of versions that other registries failed to answer.",
              &service::ListCounters::failures);
  watch_lists("koya_mirror_stale_total",
              "Lists of versions that were served as held while their registry failed.",
              &service::ListCounters::stale);
  const service::ModuleFetchCounters& modules = impl_->module_fetch.counters();
  watch("koya_mirror_modules_total", "Module versions of other registries that were brought here.",
        modules.modules);
  watch("koya_mirror_module_bytes_total", "Bytes of modules that came from elsewhere.",
        modules.bytes);
  watch("koya_mirror_module_failures_total", "Modules that could not be brought here.",
        modules.failures);
  watch("koya_mirror_module_changed_total",
        "Modules that were refused because they are not what was seen first.", modules.changed);
  metrics.WatchGauge("koya_mirror_fills", "Packages that are arriving.",
                     [this] { return static_cast<double>(impl_->fetch.under_way()); });
}

}  // namespace koya
