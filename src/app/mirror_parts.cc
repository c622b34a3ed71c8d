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

#include "base/clock.h"
#include "base/work_folder.h"
#include "clients/stored_credentials.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/cached_index.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/mirror_upkeep.h"
#include "upstream/credentials.h"
#include "upstream/fetcher.h"
#include "upstream/mirror_source.h"
#include "upstream/modules/registry_modules.h"
#include "upstream/registry_docs.h"
#include "upstream/registry_source.h"
#include "upstream/service_directory.h"

namespace koya {

upstream::UpstreamOptions UpstreamOptionsOf(const Settings& settings) {
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

namespace {

service::MirrorSetup SetupOf(const Settings& settings, const Stores& stores,
                             service::PullPolicy policy) {
  service::DiskQuota room{.folder = stores.scratch_folder,
                          .least_percent = settings.mirror.min_free};
  return {.policy = std::move(policy),
          .provider_fetch = {.zip_bytes = settings.limits.provider_zip_bytes,
                             .archive = ZipLimitsOf(settings),
                             .attachments = {.bytes = settings.limits.attachment_bytes,
                                             .count = settings.limits.attachments},
                             .room = room},
          .providers = {.freshness = settings.mirror.freshness,
                        .document_timeout = settings.upstream.timeout,
                        .from_network_mirror = !settings.upstream.network_mirror.empty()},
          .module_fetch = {.bounds = {.package_bytes = settings.limits.module_bytes},
                           .archive = ModuleLimitsOf(settings),
                           .scratch_folder = stores.scratch_folder,
                           .room = room},
          .modules = {.enabled = settings.mirror.modules, .freshness = settings.mirror.freshness},
          .docs = {.freshness = settings.mirror.freshness,
                   .patience = settings.upstream.timeout,
                   .room = room},
          .import = {.zip_bytes = settings.limits.provider_zip_bytes,
                     .zip = ZipLimitsOf(settings),
                     .module_bytes = settings.limits.module_bytes,
                     .module = ModuleLimitsOf(settings)}};
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

// What stands in the settings in words, parsed.
struct ParsedSettings {
  std::map<std::string, std::string> tokens;
  std::vector<clients::StoredCredential> kept;
  std::optional<upstream::CredentialsHelper> helper;
  service::PullPolicy policy;
};

Result<ParsedSettings> ParseSettings(const Settings& settings) {
  ParsedSettings read;
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

// Null while mirror.docs is off: then no docs API is known.
std::unique_ptr<upstream::DocsSource> DocsOf(const Settings& settings, upstream::Fetcher& fetcher) {
  if (!settings.mirror.docs) return nullptr;
  upstream::DocsLimits bounds{.files = settings.limits.docs_files};
  bounds.list_bytes = std::min(bounds.list_bytes, settings.limits.docs_bytes);
  bounds.page_bytes = std::min(bounds.page_bytes, settings.limits.docs_bytes);
  return std::make_unique<upstream::RegistryDocs>(fetcher, upstream::PublicDocsApis(), bounds);
}

// The client side: what asks other registries.
struct UpstreamParts {
  UpstreamParts(ParsedSettings& read, std::unique_ptr<ExchangeClock> with_clock,
                std::unique_ptr<upstream::Fetcher> with, Logger& log)
      : clock(std::move(with_clock)),
        fetcher(std::move(with)),
        credentials(std::move(read.tokens), std::move(read.kept), std::move(read.helper), *clock),
        tokens(credentials.Source([&log](const Error& error) {
          log.Failure("requests to a registry carry no credentials", error);
        })),
        services(*fetcher, tokens),
        modules(*fetcher, services, tokens) {}

  static Result<std::unique_ptr<UpstreamParts>> Create(const Settings& settings,
                                                       ParsedSettings& read, Logger& log) {
    auto clock = std::make_unique<SystemExchangeClock>();
    ASSIGN_OR_RETURN(std::unique_ptr<upstream::Fetcher> fetcher,
                     upstream::Fetcher::Create(UpstreamOptionsOf(settings), *clock));
    auto parts = std::make_unique<UpstreamParts>(read, std::move(clock), std::move(fetcher), log);
    ASSIGN_OR_RETURN(parts->providers,
                     ProvidersOf(settings, *parts->fetcher, parts->services, parts->tokens));
    parts->docs = DocsOf(settings, *parts->fetcher);
    return parts;
  }

  std::unique_ptr<ExchangeClock> clock;
  std::unique_ptr<upstream::Fetcher> fetcher;
  upstream::Credentials credentials;
  upstream::TokenSource tokens;
  upstream::ServiceDirectory services;
  upstream::RegistryModules modules;
  std::unique_ptr<upstream::ProviderSource> providers;
  std::unique_ptr<upstream::DocsSource> docs;  // may be null
};

// koya_mirror_doc_…
void AddDocsMetrics(const service::DocsMirror& docs, Metrics& metrics) {
  auto watch = [&metrics](const std::string& name, const std::string& help,
                          const std::atomic<std::uint64_t>& counter) {
    metrics.WatchCounter(name, help, [&counter] { return static_cast<double>(counter.load()); });
  };
  watch("koya_mirror_doc_pages_total", "Pages of docs of other registries that were fetched.",
        docs.counters().pages);
  watch("koya_mirror_doc_failures_total", "Pages of docs that other registries failed to return.",
        docs.counters().failures);
  watch("koya_mirror_doc_list_failures_total",
        "Lists of pages of docs that other registries failed to return.",
        docs.list_counters().failures);
  watch("koya_mirror_doc_stale_total",
        "Lists of pages of docs that were served from storage while their registry failed.",
        docs.list_counters().stale);
}

// Metrics of the counters that the pages show, too (docs/adr/0071).
void AddCounterMetrics(const service::MirrorCounter& counter, Metrics& metrics) {
  using service::MirrorNumbers;
  auto watch = [&](const char* name, const char* help, std::uint64_t MirrorNumbers::* member,
                   MetricLabels labels = {}) {
    metrics.WatchCounter(
        name, help, [&counter, member] { return static_cast<double>(counter.Numbers().*member); },
        std::move(labels));
  };
  watch("koya_mirror_sent_archives_total",
        "Archives of other registries that were sent to clients, whatever the source.",
        &MirrorNumbers::sent);
  watch("koya_mirror_sent_bytes_total", "Bytes of those.", &MirrorNumbers::sent_bytes);
  watch("koya_mirror_fetched_archives_total",
        "Archives that were fetched from other registries and verified.", &MirrorNumbers::brought);
  watch("koya_mirror_fetched_bytes_total", "Bytes of those.", &MirrorNumbers::fetched_bytes);
  const char* decisions = "koya_mirror_policy_decisions_total";
  const char* help = "Requests that the policy decided.";
  watch(decisions, help, &MirrorNumbers::let_through, {{"outcome", "allowed"}});
  watch(decisions, help, &MirrorNumbers::turned_away, {{"outcome", "denied"}});
  watch(
      "koya_mirror_counts_dropped_total",
      "Of these counts, those that were lost, because the catalog accepted no writes for too long.",
      &MirrorNumbers::dropped);
}

}  // namespace

struct MirrorParts::Impl {
  std::unique_ptr<UpstreamParts> upstream;
  service::Mirror mirror;
};

Result<std::unique_ptr<MirrorParts>> MirrorParts::Create(
    const Settings& settings, const Stores& stores, service::ChangeFeed& changes,
    const Clock& clock, service::LastUsedTracker& uses, Logger& log,
    const service::ClusterLinks* cluster, service::IndexQueue& index, service::Freeze& freeze) {
  ASSIGN_OR_RETURN(ParsedSettings read, ParseSettings(settings));
  ASSIGN_OR_RETURN(std::unique_ptr<UpstreamParts> upstream,
                   UpstreamParts::Create(settings, read, log));
  WorkFolder::RemoveLeftovers(stores.scratch_folder);
  service::MirrorDependencies world{.catalog = *stores.catalog,
                                    .blobs = *stores.blobs,
                                    .changes = changes,
                                    .clock = clock,
                                    .uses = uses,
                                    .log = log,
                                    .provider_source = *upstream->providers,
                                    .module_source = upstream->modules,
                                    .cluster = cluster,
                                    .docs_source = upstream->docs.get(),
                                    .index = &index,
                                    .freeze = &freeze};
  service::MirrorSetup setup = SetupOf(settings, stores, std::move(read.policy));
  auto impl = std::unique_ptr<Impl>(
      new Impl{std::move(upstream), service::Mirror(world, std::move(setup))});
  return std::unique_ptr<MirrorParts>(new MirrorParts(std::move(impl)));
}

MirrorParts::MirrorParts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MirrorParts::~MirrorParts() { Stop(); }

service::Mirror& MirrorParts::mirror() { return impl_->mirror; }
void MirrorParts::Stop() { impl_->mirror.pools.Stop(); }

void MirrorParts::AddMetrics(Metrics& metrics) {
  const service::FetchCounters& counters = impl_->mirror.provider_fetch.counters();
  auto watch = [&metrics](const std::string& name, const std::string& help,
                          const std::atomic<std::uint64_t>& counter) {
    metrics.WatchCounter(name, help, [&counter] { return static_cast<double>(counter.load()); });
  };
  watch("koya_mirror_releases_total", "Releases of other registries that were verified and pinned.",
        counters.releases);
  watch("koya_mirror_packages_total", "Packages of other registries that were fetched and stored.",
        counters.packages);
  watch("koya_mirror_bytes_total", "Bytes of packages that came from other registries.",
        counters.bytes);
  watch("koya_mirror_failures_total", "Exchanges with other registries that failed.",
        counters.failures);
  watch("koya_mirror_checksum_mismatches_total",
        "Packages that were rejected because they differ from those seen first.", counters.changed);
  metrics.WatchCounter("koya_policy_changed_total",
                       "Releases that changed upstream while the policy held them.",
                       [this] { return static_cast<double>(impl_->mirror.watch.changed()); });
  auto watch_source = [&metrics](const char* source, const std::atomic<std::uint64_t>& counter) {
    metrics.WatchCounter("koya_archive_source_bytes_total", "Bytes of archives, by source.",
                         [&counter] { return static_cast<double>(counter.load()); },
                         {{"source", source}});
  };
  watch_source("upstream", counters.bytes);
  watch_source("peer", counters.peer_bytes);
  watch("koya_mirror_takeovers_total",
        "Downloads that were taken over from a server of the cluster that died.",
        counters.take_overs);
  watch("koya_mirror_source_mismatches_total",
        "Packages for which a server of the cluster and another source sent different bytes.",
        counters.contradictions);
  auto watch_lists = [this, &metrics](const std::string& name, const std::string& help,
                                      std::atomic<std::uint64_t> service::ListCounters::* which) {
    metrics.WatchCounter(name, help, [this, which] {
      const auto& providers = impl_->mirror.providers.list_counters();
      return static_cast<double>((providers.*which).load() +
                                 (impl_->mirror.modules.list_counters().*which).load());
    });
  };
  watch_lists("koya_mirror_list_failures_total",
              "Lists of versions that other registries failed to return.",
              &service::ListCounters::failures);
  watch_lists("koya_mirror_stale_total",
              "Lists of versions that were served from storage while their registry failed.",
              &service::ListCounters::stale);
  const service::ModuleFetchCounters& modules = impl_->mirror.module_fetch.counters();
  watch("koya_mirror_modules_total", "Module versions of other registries that were fetched.",
        modules.modules);
  watch("koya_mirror_module_bytes_total", "Bytes of modules that were fetched from upstream.",
        modules.bytes);
  watch("koya_mirror_module_failures_total", "Modules that could not be fetched.",
        modules.failures);
  watch("koya_mirror_module_checksum_mismatches_total",
        "Modules that were rejected because they differ from those seen first.", modules.changed);
  AddDocsMetrics(impl_->mirror.docs, metrics);
  AddCounterMetrics(impl_->mirror.counter, metrics);
  metrics.WatchGauge("koya_mirror_fetches_in_progress", "Packages that are being fetched.", [this] {
    return static_cast<double>(impl_->mirror.provider_fetch.under_way());
  });
  metrics.WatchGauge("koya_mirror_pending_uploads",
                     "Releases whose documents wait in memory for the object store.", [this] {
                       return static_cast<double>(impl_->mirror.provider_fetch.owed().size());
                     });
}

}  // namespace koya
