#include "service/mirror/mirror.h"

#include <chrono>
#include <utility>

#include "blobs/blob_store.h"
#include "catalog/catalog.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "obs/log.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/check.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/mirror_upkeep.h"
#include "service/mirror/policies.h"
#include "service/mirror/upstream_states.h"
#include "upstream/module_source.h"
#include "upstream/provider_source.h"

namespace koya::service {
namespace {

// The sources below wrap upstream's and record how registries answer (upstream_states.h). All
// requests to other registries go through them. Archives come from other hosts than their
// registries, and are not recorded.
using WatchTime = std::chrono::steady_clock;

// A request that ended because all callers had left, or because the server stops, is neither an
// answer nor a failure.
template <class Answer>
Answer Watched(UpstreamStates& states, const HostName& host, const upstream::Deadline& patience,
               auto&& ask) {
  const WatchTime::time_point begun = WatchTime::now();
  Answer answer = ask();
  if (answer || answer.error().kind == ErrorKind::kNotFound) {
    states.NoteAnswer(
        host, std::chrono::duration_cast<std::chrono::milliseconds>(WatchTime::now() - begun));
  } else if (!patience.stop.stop_requested()) {
    states.NoteFailure(host, answer.error());
  }
  return answer;
}

class WatchedProviderSource final : public upstream::ProviderSource {
 public:
  // Both must outlive this.
  WatchedProviderSource(upstream::ProviderSource& source, UpstreamStates& states)
      : source_(source), states_(states) {}

  Result<upstream::FetchedVersions> Versions(const HostName& host, const ProviderAddress& address,
                                             const upstream::Validators& held,
                                             const upstream::Deadline& patience) override;
  Result<upstream::FetchedDownload> Download(const HostName& host, const ProviderAddress& address,
                                             const Version& version, const Platform& platform,
                                             const upstream::Deadline& patience) override;
  // Not watched: many registries have no details, or no good ones.
  Result<wire::ForeignDetails> Details(const HostName& host, const ProviderAddress& address,
                                       const Version& version,
                                       const upstream::Deadline& patience) override {
    return source_.Details(host, address, version, patience);
  }
  Status FetchArchive(const upstream::ArchiveTransfer& transfer) override {
    return source_.FetchArchive(transfer);
  }

 private:
  upstream::ProviderSource& source_;
  UpstreamStates& states_;
};

class WatchedModuleSource final : public upstream::ModuleSource {
 public:
  WatchedModuleSource(upstream::ModuleSource& source, UpstreamStates& states)
      : source_(source), states_(states) {}

  Result<upstream::FetchedModuleVersions> Versions(const HostName& host,
                                                   const ModuleAddress& address,
                                                   const upstream::Validators& held,
                                                   const upstream::Deadline& patience) override;
  Result<upstream::LocatedModule> Locate(const HostName& host, const ModuleAddress& address,
                                         const Version& version,
                                         const upstream::Deadline& patience) override;
  Result<wire::ForeignDetails> Details(const HostName& host, const ModuleAddress& address,
                                       const Version& version,
                                       const upstream::Deadline& patience) override {
    return source_.Details(host, address, version, patience);
  }
  Result<upstream::FetchedModule> Fetch(const upstream::LocatedModule& located,
                                        const upstream::ModuleDelivery& delivery) override {
    return source_.Fetch(located, delivery);
  }

 private:
  upstream::ModuleSource& source_;
  UpstreamStates& states_;
};

Result<upstream::FetchedVersions> WatchedProviderSource::Versions(
    const HostName& host, const ProviderAddress& address, const upstream::Validators& held,
    const upstream::Deadline& patience) {
  return Watched<Result<upstream::FetchedVersions>>(
      states_, host, patience, [&] { return source_.Versions(host, address, held, patience); });
}

Result<upstream::FetchedDownload> WatchedProviderSource::Download(
    const HostName& host, const ProviderAddress& address, const Version& version,
    const Platform& platform, const upstream::Deadline& patience) {
  return Watched<Result<upstream::FetchedDownload>>(states_, host, patience, [&] {
    return source_.Download(host, address, version, platform, patience);
  });
}

Result<upstream::FetchedModuleVersions> WatchedModuleSource::Versions(
    const HostName& host, const ModuleAddress& address, const upstream::Validators& held,
    const upstream::Deadline& patience) {
  return Watched<Result<upstream::FetchedModuleVersions>>(
      states_, host, patience, [&] { return source_.Versions(host, address, held, patience); });
}

Result<upstream::LocatedModule> WatchedModuleSource::Locate(const HostName& host,
                                                            const ModuleAddress& address,
                                                            const Version& version,
                                                            const upstream::Deadline& patience) {
  return Watched<Result<upstream::LocatedModule>>(
      states_, host, patience, [&] { return source_.Locate(host, address, version, patience); });
}

}  // namespace

struct Mirror::Parts {
  Parts(const MirrorDependencies& world, MirrorSetup setup)
      : policy(std::move(setup.policy)),
        gate(std::make_shared<Gate>(world.catalog, world.catalog, policy, world.clock,
                                    pools.workers)),
        states(world.clock),
        counter(world.catalog, world.log, world.clock),
        provider_source(world.provider_source, states),
        module_source(world.module_source, states),
        context{.catalog = world.catalog,
                .references = world.catalog,
                .counts = world.catalog,
                .blobs = world.blobs,
                .pools = pools,
                .policy = policy,
                .gate = *gate,
                .clock = world.clock,
                .uses = world.uses,
                .log = world.log,
                .cluster = world.cluster,
                .index = world.index,
                .counter = &counter,
                .freeze = world.freeze},
        provider_fetch(context, provider_source, setup.provider_fetch),
        providers(context, provider_source, provider_fetch, setup.providers),
        module_fetch(context, module_source, setup.module_fetch),
        modules(context, module_source, module_fetch, setup.modules),
        watch(context, world.catalog, providers, modules),
        docs(context, world.docs_source, setup.docs),
        inventory(context),
        policies(context, world.catalog, world.catalog),
        import(context, setup.import),
        review{world.blobs, pools.workers, setup.import.module, setup.import.zip},
        check(context, review, provider_fetch, world.changes) {}

  PullPolicy policy;
  std::shared_ptr<Gate> gate;
  UpstreamStates states;
  MirrorCounter counter;
  WatchedProviderSource provider_source;
  WatchedModuleSource module_source;
  MirrorContext context;
  ProviderFetch provider_fetch;
  ProviderMirror providers;
  ModuleFetch module_fetch;
  ModuleMirror modules;
  MirrorWatch watch;
  DocsMirror docs;
  Inventory inventory;
  Policies policies;
  MirrorImport import;
  ArchiveReview review;
  MirrorCheck check;
  MirrorPools pools;  // last, so that its threads end before what they use
};

Mirror::Mirror(const MirrorDependencies& world, MirrorSetup setup)
    : parts_(std::make_unique<Parts>(world, std::move(setup))),
      policy(parts_->policy),
      gate(*parts_->gate),
      states(parts_->states),
      counter(parts_->counter),
      context(parts_->context),
      provider_fetch(parts_->provider_fetch),
      providers(parts_->providers),
      module_fetch(parts_->module_fetch),
      modules(parts_->modules),
      watch(parts_->watch),
      docs(parts_->docs),
      inventory(parts_->inventory),
      policies(parts_->policies),
      import(parts_->import),
      review(parts_->review),
      check(parts_->check),
      pools(parts_->pools) {
  // Before those of caches: a document that is rendered from now on must follow the new policy.
  world.changes.AddListener([gate = std::weak_ptr(parts_->gate)](std::string_view topic) {
    if (const std::shared_ptr<Gate> present = gate.lock()) present->Invalidate(topic);
  });
}

Mirror::~Mirror() = default;

}  // namespace koya::service
