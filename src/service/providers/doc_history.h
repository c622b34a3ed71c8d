// Finds when a page of a provider's docs was added, and when it changed last, as far as the most
// recent versions show.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/topic_cache.h"

namespace koya {
struct DocName;
struct DocVersion;
class DocVersionsCatalog;
class ProviderAddress;
class Version;
}  // namespace koya

namespace koya::service {

class ProviderDocs;
class Reading;

// A version is "" if it is unknown, or if the event did not happen in the versions examined.
struct DocHistory {
  std::string added_in;
  // The newest version in which the author's text, or the schema's content, differs from the
  // previous version that has such data; `changed_since` is that previous version.
  std::string changed_in;
  std::string changed_since;
  // The schema's name, in the version shown, for the subject of the page.
  std::string item;
  // False: not everything could be read at the moment, or in time; a retry may succeed.
  bool is_whole = true;
};

struct DocHistoryLimits {
  std::chrono::milliseconds patience{1000};  // timeout for reading what has to be compared
  std::size_t readings = 4;                  // concurrency limit; beyond it nothing is read
};

// Threads: any.
class DocHistories {
 public:
  // Number of versions before the one shown that are examined, of those published with docs or a
  // schema; prereleases only if the version shown is a prerelease.
  static constexpr std::size_t kMostBefore = 20;
  // Size limit of a text that is compared. Larger texts of equal size count as unchanged.
  static constexpr std::uint64_t kMostCompared = 4ULL << 20;

  // All arguments must outlive this.
  DocHistories(DocVersionsCatalog& catalog, ProviderDocs& docs, DocHistoryLimits bounds = {})
      : catalog_(catalog), docs_(docs), bounds_(bounds) {}

  // History of the page in `version`; empty if the page does not exist. One query to the catalog;
  // the result is cached while the same versions have the same docs. Damaged or unreadable docs are
  // left out. Fails: as the catalog.
  Task<DocHistory> FindHistory(ProviderAddress address, Version version, DocName name,
                               Reading reading);

 private:
  struct Piece;
  struct Walk;
  Task<DocHistory> ComputeHistory(std::vector<DocVersion> line, Reading reading);
  Task<void> Compare(Walk& walk, Piece& page, Piece& item, DocHistory& history);
  Task<bool> Differ(const Walk& walk, Piece& newer, Piece& older);
  Task<void> Read(const Walk& walk, Piece& piece);

  DocVersionsCatalog& catalog_;
  ProviderDocs& docs_;
  const DocHistoryLimits bounds_;
  std::atomic<std::size_t> readings_ = 0;
  TopicCache<DocHistory> kept_{1 << 20};  // keyed by its inputs: never stale
};

}  // namespace koya::service
