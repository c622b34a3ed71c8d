// Finds the preceding version of each search hit in a list, with one query for all of them.
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

// Result for one hit.
struct VersionBefore {
  // False: unknown, since the version no longer exists, or is of another registry.
  bool is_known = false;
  std::optional<Version> version;  // nullopt: there is none
};

class VersionsBefore {
 public:
  // `catalog` must outlive this.
  explicit VersionsBefore(NumberCatalog& catalog) : catalog_(catalog) {}

  // Returns one result for each hit, in order: for a release the release before, for a prerelease
  // the version before, whatever it is. Fails: as the catalog.
  Task<std::vector<VersionBefore>> FindVersions(std::vector<SearchHit> hits);

 private:
  NumberCatalog& catalog_;
};

}  // namespace koya::service
