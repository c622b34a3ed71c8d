// Moves a registry to other stores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "service/operate/backup_source.h"
#include "service/operate/read_backup.h"

namespace koya {
class LeaseCatalog;
}

namespace koya::service {

// Copies the blobs that the target lacks, then all records, and compares the sums of each table.
// No server may run on either side. An interrupted move can be repeated. Blocks. Fails: kConflict:
// the target has records, or blobs that the source lacks; kCorrupt: the source has a damaged blob.
Result<RestoreReport> MoveStores(BackupSource& source, RestoreTarget target,
                                 const std::filesystem::path& scratch,
                                 const std::function<void(std::uint64_t blobs)>& on_progress);

// A catalog that was moved has a lease that no server takes: the right to serve it has gone
// elsewhere. Servers refuse to start on it.
class MovedMark {
 public:
  // `catalog` must outlive this.
  explicit MovedMark(LeaseCatalog& catalog) : catalog_(catalog) {}

  // Where the catalog was moved to; "": it was not moved.
  Task<std::string> Find();
  Task<void> Set(std::string to);
  Task<void> TakeBack();

 private:
  LeaseCatalog& catalog_;
};

}  // namespace koya::service
