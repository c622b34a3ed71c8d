// Which version came before each of those that a list shows: one question for all of them.
// Threads: any.
#pragma once

#include <optional>
#include <vector>

#include "base/task.h"
#include "domain/version.h"

namespace koya {
class NumberCatalog;
struct SearchHit;
}  // namespace koya

namespace koya::service {

// Of one of them.
struct VersionBefore {
  // False: it cannot be told, since the version is gone by now, or of another registry.
  bool is_known = false;
  std::optional<Version> version;  // nullopt: none came before
};

class VersionsBefore {
 public:
  // `catalog` must outlive this.
  explicit VersionsBefore(NumberCatalog& catalog) : catalog_(catalog) {}

  // Of each hit in turn: of a release the release before, of a prerelease whatever comes before.
  // Fails: as the catalog.
  Task<std::vector<VersionBefore>> Find(std::vector<SearchHit> hits);

 private:
  NumberCatalog& catalog_;
};

}  // namespace koya::service
