// Rebuilds the search index: it then has all published versions, and all mirrored modules and
// providers, and no others.
//
// Works in steps, each of which returns the start of the next: the caller may stop, continue on
// another server, or start again. A publish, withdrawal or deprecation meanwhile updates the index
// itself. Memory: one version at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/task.h"
#include "service/common/module_reading.h"

namespace koya {
class Catalog;
struct ModuleVersionRecord;
class ProviderAddress;
struct SearchSubject;
struct UpstreamModuleVersion;
struct UpstreamRelease;
class Version;
class WorkerPool;
}  // namespace koya

namespace koya::service {

struct SearchablePage;

// Interface from which the search index gets the contents of published versions.
class ContentsSource {
 public:
  virtual ~ContentsSource() = default;
  // Fails: kCorrupt, kRefused: the stored contents cannot be read; kUnavailable: temporarily.
  virtual Task<SharedContents> Read(ModuleVersionRecord record) = 0;
  // Reads a mirrored module. Fails, too: kNotFound: it is not stored.
  virtual Task<SharedContents> ReadMirrored(UpstreamModuleVersion version) = 0;
  // Returns the pages of a provider's docs, if it has any. Fails: kUnavailable, kNotFound.
  virtual Task<std::vector<SearchablePage>> ReadPages(ProviderAddress address, Version version) = 0;
};

// A version that can be found only by its name.
struct IndexProblem {
  std::string address;
  std::string version;
  std::string problem;
};

struct ReindexStep {
  std::string next;  // where the next step begins; "" at the end
  std::uint64_t indexed = 0;
  std::uint64_t removed = 0;  // versions that existed only in the index
  std::vector<IndexProblem> problems;
};

class Reindexing {
 public:
  // A step ends after the version with which it reaches either limit.
  static constexpr std::chrono::seconds kStepTime{1};
  static constexpr std::uint64_t kMostOfStep = 200;

  // All arguments must outlive this. Texts are prepared on `workers`.
  Reindexing(Catalog& catalog, ContentsSource& contents, WorkerPool& workers)
      : catalog_(catalog), contents_(contents), workers_(workers) {}

  // `after`: "" for the first step, else `next` of the step before. Fails: kInvalid if `after` is
  // not the `next` of a step; kUnavailable when the store or the catalog is down.
  Task<ReindexStep> Step(std::string after);
  // The same for one version. Contents that cannot be read are a problem, not a failure.
  Task<void> IndexModule(ModuleVersionRecord record, ReindexStep* step);
  Task<void> IndexProvider(ProviderAddress address, Version version, ReindexStep* step);
  // Does nothing unless its archive is stored; for a release, unless one of its packages is.
  Task<void> IndexMirrored(UpstreamModuleVersion version, ReindexStep* step);
  Task<void> IndexMirroredRelease(UpstreamRelease release, ReindexStep* step);
  // Indexes a version of any of these kinds. Does nothing if it no longer exists.
  Task<void> IndexVersion(SearchSubject subject, ReindexStep* step);

 private:
  struct Place;
  struct Known;

  static Result<Place> ReadPlace(const std::string& after);
  Task<void> GoOn(Place* place, ReindexStep* step);
  Task<void> ModuleStep(Place* place, ReindexStep* step);
  Task<void> ProviderStep(Place* place, ReindexStep* step);
  Task<void> MirroredStep(Place* place, ReindexStep* step);
  Task<void> MirroredProviderStep(Place* place, ReindexStep* step);
  Task<void> RemoveStep(Place* place, ReindexStep* step);
  Task<void> PutModule(SearchSubject subject, std::string description,
                       Result<SharedContents> contents, ReindexStep* step);
  Task<void> PutProvider(SearchSubject subject, ProviderAddress address,
                         std::vector<SearchablePage> pages, ReindexStep* step);
  Task<void> IndexMirroredVersion(SearchSubject subject, ReindexStep* step);
  Task<Known> VersionsOf(const SearchSubject& subject);
  Task<bool> IsHeld(const SearchSubject& subject);

  Catalog& catalog_;
  ContentsSource& contents_;
  WorkerPool& workers_;
};

}  // namespace koya::service
