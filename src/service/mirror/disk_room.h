// Whether the disk has room for what comes from other registries: publishing, the catalog and the
// log are to go on when pulls no longer can.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace koya::service {

struct DiskRoom {
  std::filesystem::path folder;     // on the disk in question; empty: nothing is checked
  std::uint64_t least_percent = 0;  // setting mirror.min_free

  // Blocks for a system call. Fails: kStorageFull, naming the setting, when less than that would be
  // free once `bytes` more lie there. A disk that cannot say is taken for one with room.
  Status Check(std::uint64_t bytes = 0) const;
};

}  // namespace koya::service
