#include "service/mirror/mirror.h"

#include <utility>

#include "catalog/catalog.h"

namespace koya::service {

Mirror::Mirror(const MirrorWorld& world, MirrorSetup setup)
    : policy(std::move(setup.policy)),
      states(world.clock),
      counter(world.catalog, world.log, world.clock, policy),
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

}  // namespace koya::service
