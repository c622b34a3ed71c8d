// What is inside the versions that are here: as it is kept, else read out of the archive.
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
#include "base/single_flight.h"
#include "base/task.h"
#include "base/topic_cache.h"
#include "domain/contents_record.h"
#include "service/module_reading.h"
#include "service/reading.h"

namespace koya {
class BlobStore;
class ContentsCatalog;
struct ModuleVersionRecord;
struct UpstreamModuleVersion;
class WorkerPool;
}  // namespace koya

namespace koya::service {

// Where a version's archive lies.
struct ModuleArchive {
  ModuleSubject subject;
  Digest digest;
  std::uint64_t size = 0;
  std::string description;  // what its author published it with, for the search index
};

ModuleArchive ArchiveOf(const ModuleVersionRecord& record);
ModuleArchive ArchiveOf(const UpstreamModuleVersion& version);

// A file of an archive.
struct ModuleFile {
  std::string path;
  std::uint64_t size = 0;  // of the whole file
  std::string bytes;       // its beginning, at most as much as was wanted
};

// How contents are to be, and what for.
struct ContentsWish {
  enum class Freshness {
    kAny,     // what a worse reader found will do
    kNewest,  // as today's reader finds it: for what is compared with it
  };
  // What is made of them, by the memory that it takes beside them.
  enum class Making {
    kPage,     // which shows some of it
    kAnswer,   // inputs and outputs, as JSON
    kDocument  // all of it, as JSON
  };
  Freshness freshness = Freshness::kAny;
  Making making = Making::kPage;
  std::uint64_t beside = 0;  // bytes that the reading has claimed for something else
};

// Threads: any.
class ModuleInsides {
 public:
  // Archives that are read at once on behalf of those who ask; one more fails with kUnavailable.
  static constexpr std::size_t kMostReadings = 2;

  // All of it must outlive this. `pool` runs the server's own work. `limits`: of what may be
  // unpacked.
  ModuleInsides(ContentsCatalog& catalog, BlobStore& blobs, WorkerPool& pool, ArchiveLimits limits)
      : catalog_(catalog), blobs_(blobs), pool_(pool), limits_(limits) {}

  // Of what the server does by itself.
  Reading OwnReading() { return Reading(pool_); }

  // Whoever asked may read the version. The reading claims what the contents and what is made of
  // them take; those who ask for the same at once share it. What was asked for lately is in memory,
  // which takes no look into the catalog: one archive, read by one reader, has the same inside for
  // ever. What was read now is kept, and found by it (see SearchIndex). Fails:
  // kUnavailable: too many ask for what was not read yet, or the claim is refused; kRefused,
  // kCorrupt: the archive cannot be unpacked; as the store and the catalog.
  Task<SharedContents> Find(ModuleArchive archive, Reading reading, ContentsWish wish = {});
  // What Find would claim for it, without what is beside it. Fails: as the catalog.
  Task<std::uint64_t> Measure(ModuleArchive archive, ContentsWish wish);

  // Reads the archive, whatever is kept, and keeps what it finds, however many others read. For who
  // goes through all of them.
  Task<SharedContents> ReadAnew(ModuleArchive archive);

  // What was read of an archive, and `record` that is kept of it: so that whoever asks for it next
  // need not read it again.
  void Remember(const ModuleArchive& archive, SharedContents contents,
                const ContentsRecord& record);

  // Those of `paths` that the archive has, `most` bytes of each at most, which the reading claims
  // beside what it has; goes through all of the archive. Fails: kUnavailable: too many ask; as
  // Find.
  static constexpr std::size_t kMostFileReadings = 4;
  Task<std::vector<ModuleFile>> ReadFiles(ModuleArchive archive, Reading reading,
                                          std::vector<std::string> paths, std::size_t most);

 private:
  // Contents in memory, and how long they are as they are kept.
  struct Held {
    SharedContents contents;
    std::uint64_t bytes = 0;
  };
  // Of what is in memory, some MB: the pages of a version ask for it one after the other.
  static constexpr std::uint64_t kDecodedBytes = 48U << 20U;
  static constexpr std::size_t kMostRemembered = 1U << 20U;  // of the text that is kept

  // What another reader has just now, which is not made again.
  SharedContents FindShared(const std::string& key, ContentsWish::Freshness freshness);
  void Share(const std::string& key, const SharedContents& contents);
  Task<SharedContents> FindKept(ModuleArchive archive, Reading reading, ContentsWish wish);
  Task<SharedContents> Decode(ModuleArchive archive, Reading reading, ContentsRecord record);
  Task<SharedContents> Read(ModuleArchive archive, Reading reading);
  Task<SharedContents> ReadArchive(ModuleArchive archive, Reading reading);
  Task<SharedContents> Keep(ModuleArchive archive, SharedContents contents, Reading reading);

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

}  // namespace koya::service
