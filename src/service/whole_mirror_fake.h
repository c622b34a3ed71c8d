// For tests: everything about other registries, over whatever plays them.
#pragma once

#include <filesystem>
#include <utility>

#include "service/mirror_check.h"
#include "service/mirror_import.h"
#include "service/mirror_stock.h"
#include "service/module_mirror.h"
#include "service/provider_mirror.h"
#include "service/published_check.h"

namespace koya::service {

// What a mirror is put into. All of it must outlive the mirror.
struct MirrorWorld {
  Catalog& catalog;
  BlobStore& blobs;
  ChangeFeed& changes;
  const Clock& clock;
  Logger& log;
  upstream::ProviderSource& providers;
  upstream::ModuleSource& modules;
  std::filesystem::path scratch_folder;
};

struct MirrorSetup {
  PullPolicy policy = {};
  FetchOptions fetch = {};
  MirrorOptions mirror = {};
  ModuleMirrorOptions modules = {};
  ImportOptions import = {};
};

// Its destructor waits until what is under way has been kept.
struct WholeMirror {
  WholeMirror(const MirrorWorld& world, MirrorSetup setup)
      : policy(std::move(setup.policy)),
        context{.catalog = world.catalog,
                .blobs = world.blobs,
                .pools = pools,
                .policy = policy,
                .clock = world.clock,
                .log = world.log},
        stock_parts{.catalog = world.catalog,
                    .blobs = world.blobs,
                    .workers = pools.workers,
                    .changes = world.changes,
                    .policy = policy,
                    .clock = world.clock,
                    .log = world.log},
        fetch(context, world.providers, setup.fetch),
        mirror(context, world.providers, fetch, setup.mirror),
        module_fetch(context, world.modules,
                     {.bounds = {}, .archive = {}, .scratch_folder = world.scratch_folder}),
        module_mirror(context, world.modules, module_fetch, setup.modules),
        stock(stock_parts),
        import(stock_parts, setup.import),
        review{world.blobs, pools.workers, {}, {.unpacked_bytes = 4ULL << 30}},
        check(stock_parts, review, fetch),
        published_check(world.catalog, review, world.clock, world.log) {}

  PullPolicy policy;  // may be replaced between calls
  MirrorContext context;
  StockParts stock_parts;
  UpstreamFetch fetch;
  ProviderMirror mirror;
  ModuleFetch module_fetch;
  ModuleMirror module_mirror;
  MirrorStock stock;
  MirrorImport import;
  ArchiveReview review;
  MirrorCheck check;
  PublishedCheck published_check;
  MirrorPools pools;  // last, so that its threads end before what they use
};

}  // namespace koya::service
