// What an FsCache does now and then: noting uses, and looking whether its folder is as remembered.
#include "blobs/fs/fs_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>

#include "obs/metrics.h"

namespace koya {
namespace {

// A use is noted in the file this often at most.
constexpr std::chrono::hours kNoteEvery{1};
// Parts of the folder may be deleted without notice; only a recount finds missing files that no
// client requests.
constexpr std::chrono::hours kRecountEvery{1};

struct CachedFile {
  std::uint64_t size = 0;
  timespec noted{};
};

// Nothing: it cannot be told now.
std::optional<std::map<Digest, CachedFile>> ReadFolder(const BlobLayout& layout,
                                                       std::size_t folder) {
  const std::string prefix = fmt::format("{:02x}", folder);
  const std::string path = layout.BlobsFolder() + "/" + prefix;
  std::unique_ptr<DIR, int (*)(DIR*)> names(::opendir(path.c_str()), &::closedir);
  std::map<Digest, CachedFile> files;
  if (!names && errno != ENOENT && errno != ENOTDIR) return std::nullopt;
  if (!names) return files;
  while (const dirent* name = ::readdir(names.get())) {
    Result<Digest> digest = Digest::Parse(fmt::format("sha256:{}{}", prefix, name->d_name));
    struct stat status{};
    if (!digest) continue;  // not ours
    if (::fstatat(::dirfd(names.get()), name->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    files[*digest] = {static_cast<std::uint64_t>(status.st_size), status.st_mtim};
  }
  return files;
}

}  // namespace

void FsCache::NoteUses() {
  const auto now = FsBlob::Clock::now();
  for (const auto& [entry, used] : index_.TakeUnnoted(kNoteEvery)) {
    const std::chrono::nanoseconds at = WallTime() - (now - used);
    const auto whole = std::chrono::floor<std::chrono::seconds>(at);
    const timespec noted{.tv_sec = whole.count(), .tv_nsec = (at - whole).count()};
    const timespec times[2] = {noted, noted};
    const std::string path = layout_.PathOf(entry->digest());
    if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) suspect_ = true;
  }
}

void FsCache::Tidy() {
  NoteUses();
  const bool is_there = ::access(layout_.BlobsFolder().c_str(), F_OK) == 0;
  const bool is_due = FsBlob::Clock::now() - recounted_.load() >= kRecountEvery;
  if (suspect_ || !is_there || is_due) Recount();
}

void FsCache::Recount() {
  suspect_ = false;
  recounted_ = FsBlob::Clock::now();
  for (std::size_t folder = 0; folder < BlobLayout::kFolders; ++folder) RecountFolder(folder);
  MakeRoom();
}

void FsCache::RecountFolder(std::size_t folder) {
  std::vector<Entry> lost;
  std::vector<Entry> changed;
  {
    std::lock_guard lock(locks_[folder]);
    auto files = ReadFolder(layout_, folder);
    if (!files) {
      suspect_ = true;  // again, later
      return;
    }
    for (const Entry& entry : index_.InFolder(folder)) {
      auto file = files->extract(entry->digest());
      if (file.empty()) lost.push_back(entry);
      if (!file.empty() && file.mapped().size != entry->size()) changed.push_back(entry);
    }
    const std::chrono::nanoseconds wall = WallTime();
    const auto now = FsBlob::Clock::now();
    for (const auto& [digest, file] : *files) {
      // One from the future was written while a clock was ahead.
      const auto age = std::max(wall - SinceEpoch(file.noted), std::chrono::nanoseconds(0));
      index_.Add(digest, file.size, now - age);
    }
  }
  for (const Entry& entry : lost) (void)Remove(entry, Why::kDropped);
  for (const Entry& entry : changed) (void)Remove(entry, Why::kBad);
}

void AddCacheMetrics(const FsCache& cache, Metrics& metrics) {
  auto read = [&cache](std::uint64_t FsCacheCounters::* member) {
    return [&cache, member] { return static_cast<double>(cache.counters().*member); };
  };
  using Counters = FsCacheCounters;
  metrics.WatchGauge(
      "koya_cache_bytes",
      "Disk space that the cache takes: stored, being written, or deleted and still open.",
      read(&Counters::bytes));
  metrics.WatchGauge("koya_cache_limit_bytes", "Limit of that space (cache.archives_bytes).",
                     read(&Counters::bound));
  metrics.WatchGauge("koya_cache_entries", "Archives in the cache.", read(&Counters::entries));
  metrics.WatchCounter("koya_cache_hits_total", "Archives that were opened in the cache.",
                       read(&Counters::hits));
  metrics.WatchCounter("koya_cache_misses_total", "Archives that were not in the cache.",
                       read(&Counters::misses));
  metrics.WatchCounter("koya_cache_evictions_total", "Archives that were evicted to make room.",
                       read(&Counters::evictions));
  metrics.WatchCounter("koya_cache_skipped_total",
                       "Archives that were not cached: too large, or the disk was full.",
                       read(&Counters::unkept));
  metrics.WatchCounter("koya_cache_scrubbed_bytes_total",
                       "Bytes that were read again, to be verified with their digests.",
                       read(&Counters::scrubbed_bytes));
  metrics.WatchCounter("koya_cache_corrupt_entries_total", "Archives that were found damaged.",
                       read(&Counters::bad_entries));
}

}  // namespace koya
