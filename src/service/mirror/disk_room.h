// Whether the disk has room for what comes from other registries: publishing, the catalog and the
// log are to go on when pulls no longer can.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/result.h"

namespace koya::service {

// A disk as it is now.
struct DiskSpace {
  std::uint64_t blocks = 0;
  std::uint64_t free_blocks = 0;  // for those who are not root
  std::uint64_t block_size = 1;
};

// Blocks for a system call. Nothing: the disk cannot say.
std::optional<DiskSpace> LookAtDisk(const std::filesystem::path& folder);

struct DiskRoom {
  std::filesystem::path folder;     // on the disk in question; empty: nothing is checked
  std::uint64_t least_percent = 0;  // setting mirror.min_free
  // How many bytes may arrive until the disk is looked at again.
  std::uint64_t look_every = 8ULL << 20;
  std::function<std::optional<DiskSpace>(const std::filesystem::path&)> look = &LookAtDisk;

  // Blocks for a system call. Fails: kStorageFull, naming the setting, when less than that would be
  // free once `bytes` more lie there. A disk that cannot say is taken for one with room.
  Status Check(std::uint64_t bytes = 0) const;
};

// The room for something that arrives: what was announced is often nothing, and others write to the
// same disk meanwhile. One thread at a time. `room` must outlive it.
class ArrivalRoom {
 public:
  explicit ArrivalRoom(const DiskRoom& room) : room_(room) {}

  // So many bytes arrived. Looks at the disk now and then. Fails: as DiskRoom::Check.
  Status Add(std::uint64_t bytes);

 private:
  const DiskRoom& room_;
  std::uint64_t unseen_ = 0;
};

}  // namespace koya::service
