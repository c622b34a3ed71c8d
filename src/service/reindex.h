// Makes the search index anew: of all versions that are published, and of modules and providers
// that are kept of other registries; and only of these.
//
// Done in steps, which say where the next one begins: whoever asks for them may stop, go on
// elsewhere, or begin again. What is published, withdrawn or deprecated meanwhile changes the index
// by itself. One version is held at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/task.h"
#include "service/module_reading.h"

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

class ContentsSource;
struct SearchablePage;

// A version that is found by its name alone.
struct IndexProblem {
  std::string address;
  std::string version;
  std::string problem;
};

struct ReindexStep {
  std::string next;  // where the next step begins; "" at the end
  std::uint64_t indexed = 0;
  std::uint64_t removed = 0;  // versions that were in the index alone
  std::vector<IndexProblem> problems;
};

class Reindexing {
 public:
  // A step ends with the version after which it has taken so long, or done so many.
  static constexpr std::chrono::seconds kStepTime{1};
  static constexpr std::uint64_t kMostOfStep = 200;

  // Everything given must outlive this. Texts are prepared on `workers`.
  Reindexing(Catalog& catalog, ContentsSource& contents, WorkerPool& workers)
      : catalog_(catalog), contents_(contents), workers_(workers) {}

  // `after`: "" for the first step, or what the step before calls `next`. Fails: kInvalid for an
  // `after` that no step ends with; kUnavailable when the store or the catalog is away.
  Task<ReindexStep> Step(std::string after);
  // The same of one version. Its contents that cannot be read are a problem, and no failure.
  Task<void> IndexModule(ModuleVersionRecord record, ReindexStep* step);
  Task<void> IndexProvider(ProviderAddress address, Version version, ReindexStep* step);
  // Nothing is done when its bytes are not held; of a release, none of its packages.
  Task<void> IndexMirrored(UpstreamModuleVersion version, ReindexStep* step);
  Task<void> IndexMirroredRelease(UpstreamRelease release, ReindexStep* step);
  // Whichever of these it is. Nothing is done when it is not there any more.
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
