#include "service/mirror/disk_room.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>

namespace koya::service {

Status DiskRoom::Check(std::uint64_t bytes) const {
  struct statvfs disk{};
  if (folder.empty() || least_percent == 0) return {};
  if (::statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return {};
  // In blocks, and divided first: sizes of disks times a hundred may overflow.
  std::uint64_t taken = bytes / std::max<std::uint64_t>(disk.f_frsize, 1);
  std::uint64_t free = disk.f_bavail - std::min<std::uint64_t>(taken, disk.f_bavail);
  if (free >= disk.f_blocks / 100 * least_percent) return {};
  return FailLimit(ErrorKind::kStorageFull, "mirror.min_free",
                   fmt::format("this server pulls nothing more from other registries: less than "
                               "{} % of its disk would stay free (mirror.min_free); what it holds "
                               "is served; have space freed there, or mirror.max_bytes set",
                               least_percent));
}

}  // namespace koya::service
