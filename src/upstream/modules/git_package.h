// Converts a git repository at a branch, a tag or a commit to a .tar.gz archive, through the git
// command.
//
// Git is restricted to its task: no configuration except in the command, no hooks, no prompts, no
// credential helpers, no netrc, no submodules, no filters; one protocol; limits on files, memory,
// CPU and time; kMostAtOnce repositories at a time. The files in the archive are the repository's
// own bytes: its attributes (export-ignore, export-subst, eol, ident, filter) are ignored.
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
#include "upstream/module_source.h"
#include "upstream/modules/git_remote.h"

namespace koya::upstream {

// Paths, or names to look up in PATH.
struct GitPrograms {
  std::string git = "git";
  std::string ssh = "ssh";
};

struct GitTransfer {
  const GitLocation& location;
  int file;                              // receives the archive; empty, its offset at 0
  const std::filesystem::path& scratch;  // must exist; empty again afterwards
  // For the archive and for each of git's files; twice as much for all of git's files together.
  std::uint64_t max_bytes;
  Deadline patience;  // for the whole transfer
};

struct GitPackage {
  std::uint64_t size = 0;             // of the archive
  std::vector<std::string> warnings;  // submodules that the archive lacks
};

class GitPackages {
 public:
  static constexpr std::ptrdiff_t kMostAtOnce = 2;

  // `fetcher` must outlive this.
  explicit GitPackages(Fetcher& fetcher, GitPrograms programs = {})
      : fetcher_(fetcher), programs_(std::move(programs)) {}

  // Blocks; thread-safe. Fails: kNotFound (no such repository, no such ref), kTooLarge,
  // kUpstreamTimeout, kBadUpstream; kUnavailable if git cannot be started. Git's output is in the
  // detail.
  Result<GitPackage> Fetch(const GitTransfer& transfer);

 private:
  // Fails: kUnavailable if no slot becomes free until `patience` ends.
  Status TakeSlot(const Deadline& patience);

  Fetcher& fetcher_;
  const GitPrograms programs_;
  std::mutex mutex_;
  std::condition_variable_any slot_free_;
  std::ptrdiff_t free_slots_ = kMostAtOnce;
};

}  // namespace koya::upstream
