#include "service/mirror/disk_quota.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>

namespace koya::service {

std::optional<DiskSpace> LookAtDisk(const std::filesystem::path& folder) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return std::nullopt;
  return DiskSpace{.blocks = disk.f_blocks,
                   .free_blocks = disk.f_bavail,
                   .block_size = std::max<std::uint64_t>(disk.f_frsize, 1)};
}

Status DiskReservation::Add(std::uint64_t bytes) {
  unseen_ += bytes;
  if (unseen_ < room_.look_every) return {};
  unseen_ = 0;
  return room_.Check();
}

Status DiskQuota::Check(std::uint64_t bytes) const {
  if (folder.empty() || least_percent == 0) return {};
  std::optional<DiskSpace> disk = look(folder);
  if (!disk) return {};
  // In blocks, and divided first: sizes of disks times a hundred may overflow.
  std::uint64_t taken = bytes / disk->block_size;
  std::uint64_t free = disk->free_blocks - std::min(taken, disk->free_blocks);
  if (free >= disk->blocks / 100 * least_percent) return {};
  return FailLimit(ErrorKind::kStorageFull, "mirror.min_free",
                   fmt::format("this server does not pull from other registries: less than {} % of "
                               "its disk would stay free (mirror.min_free); stored packages are "
                               "still served; have space freed there, or mirror.max_bytes set",
                               least_percent));
}

}  // namespace koya::service
