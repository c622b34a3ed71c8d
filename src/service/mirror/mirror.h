// Assembles the parts of the mirror. Users of a part include its header.
#pragma once

#include <memory>

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
class Freeze;
class Gate;
class IndexQueue;
class Inventory;
class MirrorCheck;
class MirrorCounter;
class MirrorImport;
class ModuleFetch;
class ModuleMirror;
class Policies;
class ProviderFetch;
class ProviderMirror;
class MirrorWatch;
class PullPolicy;
class UpstreamStates;
class LastUsedTracker;
struct ArchiveReview;
struct ClusterLinks;
struct MirrorContext;
struct MirrorPools;
struct MirrorSetup;

// Dependencies of the mirror. All of them must outlive it.
struct MirrorDependencies {
  Catalog& catalog;
  BlobStore& blobs;
  ChangeFeed& changes;
  const Clock& clock;
  LastUsedTracker& uses;
  Logger& log;
  upstream::ProviderSource& provider_source;
  upstream::ModuleSource& module_source;
  const ClusterLinks* cluster = nullptr;        // as of MirrorContext
  upstream::DocsSource* docs_source = nullptr;  // null: no docs are mirrored
  IndexQueue* index = nullptr;                  // as of MirrorContext
  Freeze* freeze = nullptr;                     // as of MirrorContext
};

// The mirror. Its destructor waits until running fetches have been stored or have failed.
struct Mirror {
 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;  // first: the references below point into it

 public:
  Mirror(const MirrorDependencies& world, MirrorSetup setup);
  ~Mirror();

  PullPolicy& policy;  // tests replace it between calls, and invalidate the gate
  Gate& gate;
  UpstreamStates& states;
  MirrorCounter& counter;
  MirrorContext& context;
  ProviderFetch& provider_fetch;
  ProviderMirror& providers;
  ModuleFetch& module_fetch;
  ModuleMirror& modules;
  MirrorWatch& watch;
  DocsMirror& docs;
  Inventory& inventory;
  Policies& policies;
  MirrorImport& import;
  ArchiveReview& review;
  MirrorCheck& check;
  MirrorPools& pools;
};

}  // namespace koya::service
