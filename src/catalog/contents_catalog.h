// What was read inside modules: kept beside their versions, and read again when a reader is better.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/task.h"
#include "domain/contents_record.h"
#include "domain/search_record.h"

namespace koya {

// What may be kept with a version in the transaction that adds it.
struct VersionExtras {
  std::optional<ContentsRecord> contents;  // none: to be read later
  // Of the search index (see SearchIndex). None: what is there stays.
  std::optional<std::vector<SearchEntry>> entries;
};

class ContentsCatalog {
 public:
  static constexpr std::uint64_t kMostUnread = 1000;

  virtual ~ContentsCatalog() = default;
  // Fails: kNotFound: it was not read yet, or is not there.
  virtual Task<ContentsRecord> FindContents(ModuleSubject subject) = 0;
  // How much FindContents would take. Fails: as that.
  virtual Task<ContentsSize> MeasureContents(ModuleSubject subject) = 0;
  // Puts what was read in the place of what a worse reader, or the same one, had found; what a
  // better one found stays. The entries go to the search index with it; of other registries only
  // while the version's bytes are held. What shows it changes.
  // Fails: kNotFound: the version is not there, or withdrawn by now; kTooLarge; kInvalid: a text
  // that is not UTF-8, or has a NUL.
  virtual Task<void> PutContents(ModuleSubject subject, VersionExtras extras) = 0;
  // Versions that are not withdrawn and that `reader` has not read, nor a better one; of other
  // registries only those whose bytes are held. After `after`, at most kMostUnread.
  virtual Task<std::vector<UnreadModule>> ListUnread(std::uint64_t reader,
                                                     std::optional<UnreadModule::Place> after,
                                                     std::uint64_t limit) = 0;
  // How many ListUnread would tell of in all.
  virtual Task<std::uint64_t> CountUnread(std::uint64_t reader) = 0;
};

}  // namespace koya
