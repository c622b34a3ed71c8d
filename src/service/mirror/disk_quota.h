// Checks whether the disk has space for bytes of other registries: publishing, the catalog and the
// log must go on when pulls no longer can.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/result.h"

namespace koya::service {

// Current state of a disk.
struct DiskSpace {
  std::uint64_t blocks = 0;
  std::uint64_t free_blocks = 0;  // for processes without root rights
  std::uint64_t block_size = 1;
};

// Blocks for a system call. nullopt: the state cannot be read.
std::optional<DiskSpace> LookAtDisk(const std::filesystem::path& folder);

struct DiskQuota {
  std::filesystem::path folder;     // a folder on the disk; empty: no check
  std::uint64_t least_percent = 0;  // setting mirror.min_free
  // Bytes that may arrive before the disk is checked again.
  std::uint64_t look_every = 8ULL << 20;
  std::function<std::optional<DiskSpace>(const std::filesystem::path&)> look = &LookAtDisk;

  // Blocks for a system call. Fails: kStorageFull, naming the setting, when `bytes` more would
  // leave less than least_percent free. A disk whose state cannot be read counts as one with space.
  Status Check(std::uint64_t bytes = 0) const;
};

// Rechecks the disk while a file arrives: the announced size is often zero, and others write to the
// same disk meanwhile. One thread at a time. `room` must outlive it.
class DiskReservation {
 public:
  explicit DiskReservation(const DiskQuota& room) : room_(room) {}

  // Adds arrived bytes; checks the disk every `look_every` bytes. Fails: as DiskQuota::Check.
  Status Add(std::uint64_t bytes);

 private:
  const DiskQuota& room_;
  std::uint64_t unseen_ = 0;
};

}  // namespace koya::service
