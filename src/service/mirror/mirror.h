// Everything about other registries, put together. Whoever uses a part includes its header.
#pragma once

#include <memory>

#include "service/mirror/fetch_lease.h"

namespace koya {
class BlobStore;
class Catalog;
class Clock;
class Logger;
}  // namespace koya
namespace koya::upstream {
class DocsSource;
class ModuleSource;
class ProviderSource;
}  // namespace koya::upstream

namespace koya::service {

class ChangeFeed;
class DocsMirror;
class IndexQueue;
class Inventory;
class MirrorCheck;
class MirrorCounter;
class MirrorImport;
class ModuleFetch;
class ModuleMirror;
class ProviderFetch;
class ProviderMirror;
class PullPolicy;
class UpstreamStates;
class UseNotes;
struct ArchiveReview;
struct MirrorContext;
struct MirrorPools;
struct MirrorSetup;

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

// Its destructor waits until what is under way has been kept, or has failed.
struct Mirror {
 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;  // first: what follows leads into it

 public:
  Mirror(const MirrorWorld& world, MirrorSetup setup);
  ~Mirror();

  PullPolicy& policy;  // tests replace it between calls
  UpstreamStates& states;
  MirrorCounter& counter;
  MirrorContext& context;
  ProviderFetch& provider_fetch;
  ProviderMirror& providers;
  ModuleFetch& module_fetch;
  ModuleMirror& modules;
  DocsMirror& docs;
  Inventory& inventory;
  MirrorImport& import;
  ArchiveReview& review;
  MirrorCheck& check;
  MirrorPools& pools;
};

}  // namespace koya::service
