// Everything about other registries, put together.
#pragma once

#include <utility>

#include "service/archive_review.h"
#include "service/change_feed.h"
#include "service/mirror/check.h"
#include "service/mirror/context.h"
#include "service/mirror/docs_mirror.h"
#include "service/mirror/import.h"
#include "service/mirror/inventory.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/provider_mirror.h"
#include "service/mirror/upstream_states.h"
#include "service/mirror/watched_sources.h"

namespace koya::service {

// What a mirror is put into. All of it must outlive the mirror.
struct MirrorWorld {
  Catalog& catalog;
  BlobStore& blobs;
  ChangeFeed& changes;
  const Clock& clock;
  UseNotes& uses;
  Logger& log;
  upstream::ProviderSource& provider_source;
  upstream::ModuleSource& module_source;
  ClusterLinks cluster = {};
  upstream::DocsSource* docs_source = nullptr;  // null: docs are not mirrored
  IndexQueue* index = nullptr;                  // as of MirrorContext
};

struct MirrorSetup {
  PullPolicy policy = {};
  FetchOptions provider_fetch = {};
  MirrorOptions providers = {};
  ModuleFetchOptions module_fetch = {};
  ModuleMirrorOptions modules = {};
  DocsMirrorOptions docs = {};
  ImportOptions import = {};
};

// Its destructor waits until what is under way has been kept, or has failed.
struct Mirror {
  Mirror(const MirrorWorld& world, MirrorSetup setup);

  PullPolicy policy;  // tests replace it between calls
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

}  // namespace koya::service
