// When a page of a provider's docs came, and when it changed last, as far as the last versions
// tell.
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

// Each version is "" where nobody knows, or nothing like it happened in those that were looked at.
struct DocHistory {
  std::string added_in;
  // The newest version in which the author's text, or what the schema says, is not what it was in
  // the one before that tells; and that one.
  std::string changed_in;
  std::string changed_since;
  // What the schema of the version that is shown calls what the page is about.
  std::string item;
  // False: not everything could be read just now, or in time; later it may be.
  bool is_whole = true;
};

struct DocHistoryBounds {
  std::chrono::milliseconds patience{1000};  // for reading what has to be compared
  std::size_t readings = 4;                  // at once; who comes then is told what needs none
};

// Threads: any.
class DocHistories {
 public:
  // How many versions before the one that is shown are looked at, of those that were published with
  // docs or a schema; prereleases among them only of a prerelease.
  static constexpr std::size_t kMostBefore = 20;
  // Of a text that is compared. Larger ones of the same size are not told to have changed.
  static constexpr std::uint64_t kMostCompared = 4ULL << 20;

  // All of it must outlive this.
  DocHistories(DocVersionsCatalog& catalog, ProviderDocs& docs, DocHistoryBounds bounds = {})
      : catalog_(catalog), docs_(docs), bounds_(bounds) {}

  // Of the page as `version` has it; of one that is not there nothing. One question to the catalog;
  // what was read for it is kept as long as the same versions have the same docs. What is damaged,
  // or cannot be read, leaves out what it would have told. Fails: as the catalog.
  Task<DocHistory> Find(ProviderAddress address, Version version, DocName name, Reading reading);

 private:
  struct Piece;
  struct Walk;
  Task<DocHistory> Look(std::vector<DocVersion> line, Reading reading);
  Task<void> Compare(Walk& walk, Piece& page, Piece& item, DocHistory& history);
  Task<bool> Differ(const Walk& walk, Piece& newer, Piece& older);
  Task<void> Read(const Walk& walk, Piece& piece);

  DocVersionsCatalog& catalog_;
  ProviderDocs& docs_;
  const DocHistoryBounds bounds_;
  std::atomic<std::size_t> readings_ = 0;
  TopicCache<DocHistory> kept_{1 << 20};  // by what they were made of: nothing makes them stale
};

}  // namespace koya::service
