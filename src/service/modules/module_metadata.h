// Provides the contents of module versions on this server: stored ones, else from the archive;
// their history, and their JSON.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "archive/archive_limits.h"
#include "base/result.h"
#include "base/single_flight.h"
#include "base/task.h"
#include "base/topic_cache.h"
#include "domain/module_record.h"
#include "service/common/module_reading.h"
#include "service/common/reading.h"

namespace koya {
class BlobStore;
class ContentsCatalog;
struct ModuleFileVisitor;
struct ModuleVersionRecord;
struct UpstreamModuleVersion;
class WorkerPool;
}  // namespace koya

namespace koya::service {

// Location of a version's archive.
struct ModuleArchive {
  ModuleSubject subject;
  Digest digest;
  std::uint64_t size = 0;
  std::string description;  // the author's, given at publishing; for the search index
};

ModuleArchive ArchiveOf(const ModuleVersionRecord& record);
ModuleArchive ArchiveOf(const UpstreamModuleVersion& version);

// A file of an archive.
struct ModuleFile {
  std::string path;
  std::uint64_t size = 0;  // of the whole file
  std::string bytes;       // the beginning, at most the number of bytes requested
};

// Requirements on contents, and their purpose.
struct ContentsRequest {
  enum class Freshness {
    kAny,     // the result of an older reader is sufficient
    kNewest,  // as the current reader finds them: for comparisons
  };
  // The product made of the contents, by the memory that it takes besides them.
  enum class Making {
    kPage,     // shows a part of them
    kAnswer,   // inputs and outputs, as JSON
    kDocument  // all of it, as JSON
  };
  Freshness freshness = Freshness::kAny;
  Making making = Making::kPage;
  std::uint64_t beside = 0;  // bytes that the reading has claimed for something else
};

// Threads: any.
class ModuleMetadata {
 public:
  // Concurrency limit of analyses for callers; one more fails with kUnavailable.
  static constexpr std::size_t kMostReadings = 2;

  // All arguments must outlive this. `pool` runs the server's own work. `limits`: limits of
  // unpacking.
  ModuleMetadata(ContentsCatalog& catalog, BlobStore& blobs, WorkerPool& pool, ArchiveLimits limits)
      : catalog_(catalog), blobs_(blobs), pool_(pool), limits_(limits) {}

  // For work that the server does by itself.
  Reading OwnReading() { return Reading(pool_); }

  // Returns the contents of a version that the caller may read. The reading claims the memory for
  // the contents and for the product made of them; concurrent calls for the same version share it.
  // Recent contents are in memory, which needs no query to the catalog: the contents of one
  // archive, read by one reader version, never change. Contents that are read from the archive are
  // stored, and the version becomes searchable by them (see SearchIndex). Fails: kUnavailable: too
  // many concurrent analyses, or the claim is refused; kRefused, kCorrupt: the archive cannot be
  // unpacked; as the store and the catalog.
  Task<SharedContents> FindContents(ModuleArchive archive, Reading reading,
                                    ContentsRequest wish = {});
  // Bytes that Find would claim, without `beside`. Fails: as the catalog.
  Task<std::uint64_t> Measure(ModuleArchive archive, ContentsRequest wish);

  // Reads the archive even if contents are stored, and stores the result; no concurrency limit
  // applies. For jobs that go through all versions.
  Task<SharedContents> ReadAgain(ModuleArchive archive);

  // Caches the contents that were read from an archive and stored as `record`, so that the next
  // caller need not read them again.
  void Remember(const ModuleArchive& archive, SharedContents contents,
                const ContentsRecord& record);

  // Shows all files of the archive to `visitor`, on a thread of the reading, which has claimed the
  // memory that the visitor needs. Fails: as ReadFiles.
  Task<void> VisitFiles(ModuleArchive archive, Reading reading, ModuleFileVisitor visitor);

  // Returns the files of `paths` that the archive has, at most `most` bytes of each, which the
  // reading claims in addition to its claim so far; reads through the whole archive. Fails:
  // kUnavailable: too many concurrent calls; as Find.
  static constexpr std::size_t kMostFileReadings = 4;
  Task<std::vector<ModuleFile>> ReadFiles(ModuleArchive archive, Reading reading,
                                          std::vector<std::string> paths, std::size_t most);

 private:
  // Contents in memory, and their length as stored.
  struct Held {
    SharedContents contents;
    std::uint64_t bytes = 0;
  };
  // Size of the cache, some MB: the pages of a version use the same contents one after the other.
  static constexpr std::uint64_t kDecodedBytes = 48U << 20U;
  static constexpr std::size_t kMostRemembered = 1U << 20U;  // of the stored text

  // Contents that another reader has in memory at this moment, so that they are not decoded again.
  SharedContents FindShared(const std::string& key, ContentsRequest::Freshness freshness);
  void Share(const std::string& key, const SharedContents& contents);
  Task<SharedContents> FindKept(ModuleArchive archive, Reading reading, ContentsRequest wish);
  Task<SharedContents> Decode(ModuleArchive archive, Reading reading, ContentsRecord record);
  Task<SharedContents> Read(ModuleArchive archive, Reading reading);
  Task<SharedContents> ReadArchive(ModuleArchive archive, Reading reading);
  Task<SharedContents> StoreContents(ModuleArchive archive, SharedContents contents,
                                     Reading reading);

  ContentsCatalog& catalog_;
  BlobStore& blobs_;
  WorkerPool& pool_;
  ArchiveLimits limits_;
  TopicCache<Held> decoded_{kDecodedBytes};
  std::mutex sharing_;
  std::map<std::string, std::weak_ptr<const inspect::ModuleContents>> shared_;  // under sharing_
  SingleFlight<SharedContents> decoding_;
  std::atomic<std::size_t> readings_ = 0;
  std::atomic<std::size_t> file_readings_ = 0;
};

// Since when a module's inputs have their current form, and since when its outputs exist, as far as
// the most recent versions show.
struct InputHistory {
  std::map<std::string, std::string> added_in;          // version by input name
  std::map<std::string, std::string> default_since;     // version that set the default
  std::map<std::string, std::string> outputs_added_in;  // version by output name
};

// Number of earlier versions that are read.
inline constexpr std::size_t kMostVersionsBefore = 8;

// History of the first of `versions`, whose contents are `contents`; the earlier versions follow,
// newest first. Leaves out inputs and outputs that are older than the versions examined or never
// changed, and those for which an older version is uncertain because one of its files could not be
// read. A version that cannot be read at the moment ends the search. `reading` claims memory for
// one older version at a time. Fails: IsTurnedAway.
Task<InputHistory> FindInputHistory(ModuleMetadata& insides, Reading reading,
                                    SharedContents contents,
                                    std::vector<ModuleVersionRecord> versions);

// The contents of a module as JSON responses. Pure: any thread; all but the smallest on a worker.
//
// The version document: inspect::AnswerContents.
std::string TellContents(const SharedContents& contents);

// The part of the wider module API besides a version's details: inspect::WiderAnswer.
std::string TellWider(const SharedContents& contents);

// {"file", "lang", "html"}, and "truncated": true if the README is too long; the HTML is safe to
// embed in any page. Relative links are unchanged. Fails: kNotFound: the module has no README.
Result<std::string> TellReadme(const SharedContents& contents);

}  // namespace koya::service
