#include "service/mirror/mirror.h"

#include <utility>

#include "blobs/blob_store.h"
#include "catalog/catalog.h"
#include "obs/log.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/check.h"
#include "service/mirror/inventory.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/upstream_states.h"
#include "service/mirror/watched_sources.h"
#include "upstream/docs_source.h"

namespace koya::service {

struct Mirror::Parts {
  Parts(const MirrorDependencies& world, MirrorSetup setup)
      : policy(std::move(setup.policy)),
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
                .clock = world.clock,
                .uses = world.uses,
                .log = world.log,
                .cluster = world.cluster,
                .index = world.index,
                .counter = &counter},
        provider_fetch(context, provider_source, setup.provider_fetch),
        providers(context, provider_source, provider_fetch, setup.providers),
        module_fetch(context, module_source, setup.module_fetch),
        modules(context, module_source, module_fetch, setup.modules),
        docs(context, world.docs_source, setup.docs),
        inventory(context),
        import(context, setup.import),
        review{world.blobs, pools.workers, setup.import.module, setup.import.zip},
        check(context, review, provider_fetch, world.changes) {}

  PullPolicy policy;
  UpstreamStates states;
  MirrorCounter counter;
  WatchedProviderSource provider_source;
  WatchedModuleSource module_source;
  MirrorContext context;
  ProviderFetch provider_fetch;
  ProviderMirror providers;
  ModuleFetch module_fetch;
  ModuleMirror modules;
  DocsMirror docs;
  Inventory inventory;
  MirrorImport import;
  ArchiveReview review;
  MirrorCheck check;
  MirrorPools pools;  // last, so that its threads end before what they use
};

Mirror::Mirror(const MirrorDependencies& world, MirrorSetup setup)
    : parts_(std::make_unique<Parts>(world, std::move(setup))),
      policy(parts_->policy),
      states(parts_->states),
      counter(parts_->counter),
      context(parts_->context),
      provider_fetch(parts_->provider_fetch),
      providers(parts_->providers),
      module_fetch(parts_->module_fetch),
      modules(parts_->modules),
      docs(parts_->docs),
      inventory(parts_->inventory),
      import(parts_->import),
      review(parts_->review),
      check(parts_->check),
      pools(parts_->pools) {}

Mirror::~Mirror() = default;

}  // namespace koya::service
