#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "api/common/admin_answer.h"
#include "domain/account_record.h"
#include "domain/host_name.h"
#include "domain/replica_record.h"
#include "service/access/accounts.h"
#include "service/common/job_runs.h"
#include "service/mirror/pull_policy.h"
#include "service/mirror/upstream_states.h"
#include "service/operate/replicas.h"
#include "service/operate/storage.h"
#include "web/admin/admin_pages.h"

namespace koya::api {
namespace {

using Trouble = web::AdminOverviewPage::Trouble;

// Beyond which a server does not keep up, and a clock is wrong: see koya admin replicas.
constexpr std::chrono::seconds kLateFeed{5};
constexpr std::chrono::seconds kWrongClock{5};

web::ShownJob ShownJobOf(service::JobRun run) {
  return {.job = std::move(run.job),
          .ended_at = run.ended_at,
          .took = run.measure.took,
          .waiting = run.measure.waiting,
          .failed = run.failed,
          .told = std::move(run.told),
          .runs = run.runs,
          .failures = run.failures,
          .failed_at = run.failed_at,
          .last_failure = std::move(run.last_failure)};
}

std::vector<web::ShownJob> ReadJobs(const Services& services) {
  std::vector<web::ShownJob> jobs;
  if (services.operations.jobs == nullptr) return jobs;
  for (service::JobRun& run : services.operations.jobs->All()) {
    jobs.push_back(ShownJobOf(std::move(run)));
  }
  return jobs;
}

std::optional<web::ShownJob> JobNamed(const std::vector<web::ShownJob>& jobs,
                                      std::string_view name) {
  auto found = std::ranges::find(jobs, name, &web::ShownJob::job);
  if (found == jobs.end()) return std::nullopt;
  return *found;
}

// ---- what needs attention

void AddState(const Services& services, web::AdminOverviewPage& page) {
  if (!services.operations.state) return;
  page.knows_state = true;
  for (std::string& reason : services.operations.state().reasons) {
    page.troubles.push_back({.kind = Trouble::Kind::kState, .text = std::move(reason)});
  }
}

void AddUpstreams(const Services& services, web::AdminOverviewPage& page) {
  const MirrorServices& mirror = services.mirror;
  for (const HostName& host : mirror.policy.hosts()) {
    const service::UpstreamState::Kind kind = mirror.states.Of(host).kind;
    if (kind != service::UpstreamState::Kind::kStale &&
        kind != service::UpstreamState::Kind::kFailing) {
      continue;
    }
    page.troubles.push_back({.kind = Trouble::Kind::kUpstream, .name = host.display()});
  }
}

void AddFailedJobs(const Services& services, web::AdminOverviewPage& page) {
  for (web::ShownJob& job : ReadJobs(services)) {
    if (!job.failed) continue;
    page.troubles.push_back(
        {.kind = Trouble::Kind::kJob, .name = std::move(job.job), .text = std::move(job.told)});
  }
}

bool IsLate(const ReplicaRecord& replica) {
  return replica.feed_age > kLateFeed || std::chrono::abs(replica.clock_ahead) > kWrongClock;
}

void AddServers(const std::vector<service::Replicas::Seen>& seen, web::AdminOverviewPage& page) {
  std::set<std::string> versions;
  for (const service::Replicas::Seen& each : seen) {
    versions.insert(each.replica.version);
    if (!IsLate(each.replica)) continue;
    page.troubles.push_back({.kind = Trouble::Kind::kReplica, .name = each.replica.address});
  }
  if (versions.size() < 2) return;
  std::string told;
  for (const std::string& version : versions) told += (told.empty() ? "" : ", ") + version;
  page.troubles.push_back({.kind = Trouble::Kind::kVersions, .text = std::move(told)});
}

void AddSums(const StorageSums& sums, web::AdminOverviewPage& page) {
  page.published_bytes =
      sums.modules.bytes + sums.provider_packages.bytes + sums.provider_docs.bytes;
  page.mirrored_bytes = sums.mirrored.bytes;
  if (sums.objects.lost.count == 0) return;
  page.troubles.push_back(
      {.kind = Trouble::Kind::kObjects, .text = web::NumberText(sums.objects.lost.count)});
}

// ---- health

// True for the metrics of /metrics that show whether a server is well.
bool IsShownNumber(std::string_view name) {
  constexpr std::array<std::string_view, 14> kShown{"koya_catalog_queued",
                                                    "koya_catalog_circuit_open",
                                                    "koya_catalog_timeouts_total",
                                                    "koya_catalog_rejected_total",
                                                    "koya_change_feed_age",
                                                    "koya_leases_",
                                                    "koya_clock_ahead",
                                                    "koya_gc_",
                                                    "koya_log_lines_dropped",
                                                    "koya_module_analysis_",
                                                    "koya_search_index_pending",
                                                    "koya_document_cache_bytes",
                                                    "koya_bucket_",
                                                    "process_resident_memory"};
  return std::ranges::any_of(kShown, [name](auto each) { return name.starts_with(each); });
}

std::vector<web::AdminHealthPage::Number> ReadNumbers(const Services& services) {
  std::vector<web::AdminHealthPage::Number> numbers;
  if (!services.operations.metrics) return numbers;
  const std::string all = services.operations.metrics();
  std::string_view rest(all);
  while (!rest.empty() && numbers.size() < web::AdminHealthPage::kMostNumbers) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t blank = line.rfind(' ');
    if (line.starts_with('#') || blank == line.npos || !IsShownNumber(line)) continue;
    numbers.push_back(
        {.name = std::string(line.substr(0, blank)), .value = std::string(line.substr(blank + 1))});
  }
  return numbers;
}

web::AdminHealthPage::Server ServerOf(service::Replicas::Seen seen) {
  return {.address = std::move(seen.replica.address),
          .version = std::move(seen.replica.version),
          .started_at = seen.replica.started_at,
          .seen_at = seen.replica.seen_at,
          .feed_age = seen.replica.feed_age,
          .clock_ahead = seen.replica.clock_ahead,
          .leases = std::move(seen.leases)};
}

Task<http::Response> ShowAdministration(Call& call, PageAnswer& page) {
  ASSIGN_OR_CO_RETURN(AccessCounts counts,
                      co_await call.services.rights.accounts.Count(call.principal));
  ASSIGN_OR_CO_RETURN(StorageSums sums, co_await call.services.upkeep.storage.Sum(call.principal));
  ASSIGN_OR_CO_RETURN(std::vector<service::Replicas::Seen> seen,
                      co_await call.services.upkeep.replicas.List());
  web::AdminOverviewPage shown{.users = counts.users,
                               .disabled = counts.disabled,
                               .administrators = counts.administrators,
                               .services = counts.services,
                               .groups = counts.groups,
                               .troubles = {}};
  AddState(call.services, shown);
  AddSums(sums, shown);
  AddServers(seen, shown);
  AddFailedJobs(call.services, shown);
  AddUpstreams(call.services, shown);
  if (shown.troubles.size() > web::AdminOverviewPage::kMostTroubles) {
    shown.troubles.resize(web::AdminOverviewPage::kMostTroubles);
  }
  co_return co_await page.SendUnkept(web::RenderAdminOverview(page.frame, shown));
}

Task<http::Response> ShowStorage(Call& call, PageAnswer& page) {
  web::AdminStoragePage shown{.now = call.services.clock.Now()};
  ASSIGN_OR_CO_RETURN(shown.sums, co_await call.services.upkeep.storage.Sum(call.principal));
  const std::vector<web::ShownJob> jobs = ReadJobs(call.services);
  shown.collection = JobNamed(jobs, "gc");
  shown.bound = JobNamed(jobs, "mirror-bound");
  shown.sweep = JobNamed(jobs, "store-sweep");
  shown.scrub = JobNamed(jobs, "cache-scrub");
  co_return co_await page.SendUnkept(web::RenderAdminStorage(page.frame, shown));
}

Task<http::Response> ShowHealth(Call& call, PageAnswer& page) {
  web::AdminHealthPage shown{.now = call.services.clock.Now()};
  if (call.services.operations.state) {
    OperationsView::State state = call.services.operations.state();
    shown.knows_state = true;
    shown.is_ready = state.ready;
    shown.reasons = std::move(state.reasons);
  }
  ASSIGN_OR_CO_RETURN(std::vector<service::Replicas::Seen> seen,
                      co_await call.services.upkeep.replicas.List());
  for (service::Replicas::Seen& each : seen) {
    if (shown.servers.size() == web::AdminHealthPage::kMostServers) break;
    shown.servers.push_back(ServerOf(std::move(each)));
  }
  shown.jobs = ReadJobs(call.services);
  shown.numbers = ReadNumbers(call.services);
  co_return co_await page.SendUnkept(web::RenderAdminHealth(page.frame, shown));
}

}  // namespace

// How the registry is.
std::span<const Route> AdminStatePageRoutes() {
  static constexpr Route kRoutes[] = {
      AdminRow<ShowAdministration>("/-/admin", "Show the state of the registry"),
      AdminRow<ShowStorage>("/-/admin/storage", "Show storage use"),
      AdminRow<ShowHealth>("/-/admin/health", "Show servers, background jobs and metrics"),
  };
  return kRoutes;
}

}  // namespace koya::api
