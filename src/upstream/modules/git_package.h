// A folder of history brought to an archive: what a git repository holds at a branch, a tag or a
// commit, as .tar.gz, through the git command.
//
// git is kept to what it is needed for: no configuration but what stands in the command, no hooks,
// no prompts, no credential helpers, no netrc, no submodules, no filters; one protocol; bounded
// files, memory, computing and time; kMostAtOnce repositories at a time. The files in the archive
// are the repository's own bytes: none of its attributes (export-ignore, export-subst, eol, ident,
// filter) is heeded.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "upstream/fetcher.h"
#include "upstream/modules/git_remote.h"
#include "upstream/package_location.h"

namespace koya::upstream {

// By path, or looked up in PATH.
struct GitPrograms {
  std::string git = "git";
  std::string ssh = "ssh";
};

struct GitTransfer {
  const GitLocation& location;
  int file;                              // takes the archive; empty, its offset at 0
  const std::filesystem::path& scratch;  // exists; nothing is left in it
  // Of each file of git's and of the archive; twice as much of git's files together.
  std::uint64_t max_bytes;
  Patience patience;  // its deadline is that of everything
};

struct GitPackage {
  std::uint64_t size = 0;             // of the archive
  std::vector<std::string> warnings;  // submodules that are missing in it
};

class GitPackages {
 public:
  static constexpr std::ptrdiff_t kMostAtOnce = 2;

  // `fetcher` must outlive this.
  explicit GitPackages(Fetcher& fetcher, GitPrograms programs = {})
      : fetcher_(fetcher), programs_(std::move(programs)) {}

  // Blocks; thread-safe. Fails: kNotFound (no such repository, no such ref), kTooLarge,
  // kUpstreamTimeout, kBadUpstream; kUnavailable when git cannot be started. What git said is in
  // the detail.
  Result<GitPackage> Fetch(const GitTransfer& transfer);

 private:
  // Fails: kUnavailable when none is free for as long as `patience` lasts.
  Status TakeSlot(const Patience& patience);

  Fetcher& fetcher_;
  const GitPrograms programs_;
  std::mutex mutex_;
  std::condition_variable_any slot_free_;
  std::ptrdiff_t free_slots_ = kMostAtOnce;
};

}  // namespace koya::upstream
