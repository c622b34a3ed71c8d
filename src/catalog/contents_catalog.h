// ContentsCatalog stores the contents of modules beside their versions; a better reader analyzes
// them again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/task.h"
#include "domain/module_record.h"
#include "domain/search_record.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

// Data that may be stored with a version in the transaction that adds it.
struct VersionExtras {
  std::optional<ContentsRecord> contents;  // none: to be analyzed later
  // For the search index (see SearchIndex). None: existing entries stay.
  std::optional<std::vector<SearchEntry>> entries;
};

class ContentsCatalog {
 public:
  explicit ContentsCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  static constexpr std::uint64_t kMostUnread = 1000;

  // Fails: kNotFound: not analyzed yet, or no such version.
  Task<ContentsRecord> FindContents(ModuleSubject subject);
  // The size of what FindContents returns. Fails: as that.
  Task<ContentsSize> MeasureContents(ModuleSubject subject);
  // Replaces contents from the same or a worse reader; contents from a better one stay. Puts the
  // entries into the search index in the same transaction; for other registries only while the
  // version's bytes are held. Changes the documents that show the contents.
  // Fails: kNotFound: the version does not exist, or is withdrawn by now; kTooLarge; kInvalid: a
  // text that is not UTF-8, or has a NUL.
  Task<void> PutContents(ModuleSubject subject, VersionExtras extras);
  // Versions that are not withdrawn and that neither `reader` nor a better one has analyzed; of
  // other registries only those whose bytes are held. After `after`, at most kMostUnread.
  Task<std::vector<UnreadModule>> ListUnread(std::uint64_t reader,
                                             std::optional<UnreadModule::Place> after,
                                             std::uint64_t limit);
  // The total number of versions that ListUnread would return.
  Task<std::uint64_t> CountUnread(std::uint64_t reader);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
