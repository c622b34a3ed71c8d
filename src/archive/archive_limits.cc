#include "archive/archive_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace koya {
namespace {

// Below this, a high ratio is a small file that packs well, not a bomb.
constexpr std::uint64_t kRatioFloor = 1 << 20;

// Every name is held several times while names are compared. Real archives have a tenth of this.
constexpr std::uint64_t kMaxNameBytes = 16 << 20;

}  // namespace

Status ArchiveBudget::AddEntry() { return CheckAnnouncedEntries(++entries_); }

Status ArchiveBudget::AddName(std::size_t bytes) {
  name_bytes_ += bytes;
  if (name_bytes_ <= kMaxNameBytes) return {};
  return RefuseArchive(
      "has more than 16 MiB of names; leave out what does not belong in it, or shorten the names",
      "fixed.archive_name_bytes");
}

Status ArchiveBudget::CheckTime() const {
  if (limits_.stop != nullptr && limits_.stop->stop_requested()) {
    return FailUnavailable("the server is stopping; try again");
  }
  if (std::chrono::steady_clock::now() < limits_.until) return {};
  return FailLimit(ErrorKind::kTimeout, "fixed.module_fetch_time",
                   "the archive could not be read in time");
}

Status ArchiveBudget::AddUnpacked(std::uint64_t bytes) {
  RETURN_IF_ERROR(CheckTime());
  unpacked_ += bytes;
  return CheckTotal(unpacked_);
}

// Copies have their own limit, but in bytes unpacked: any amount of packed data may unpack to one.
// Honest packed data is not larger than its unpacked content.
Status ArchiveBudget::AddPacked(std::uint64_t bytes) {
  RETURN_IF_ERROR(CheckTime());
  packed_read_ += bytes;
  bool again = packed_read_ > packed_bytes_;
  if (!again || packed_read_ - packed_bytes_ <= limits_.unpacked_bytes) return {};
  return RefuseArchive(
      fmt::format("has links to files whose packed data is far larger than their content: to "
                  "replace the links by copies, more than {} bytes would be read again",
                  limits_.unpacked_bytes),
      limits_.unpacked_name);
}

Status ArchiveBudget::CheckAnnouncedEntries(std::uint64_t entries) const {
  if (entries <= limits_.entries) return {};
  return RefuseArchive(
      fmt::format("has more than {} entries; leave out what does not belong in it (.git, "
                  ".terraform, node_modules)",
                  limits_.entries),
      limits_.entries_name);
}

Status ArchiveBudget::CheckAnnouncedBytes(std::string_view entry, std::uint64_t bytes) const {
  if (bytes <= limits_.unpacked_bytes) return {};
  return RefuseEntry(
      entry, fmt::format("is {} bytes unpacked; the limit is {}", bytes, limits_.unpacked_bytes),
      limits_.unpacked_name);
}

Status ArchiveBudget::CheckTotal(std::uint64_t total) const {
  if (total > limits_.unpacked_bytes) {
    return RefuseArchive(fmt::format("unpacks to more than {} bytes; leave out large files that do "
                                     "not belong in it",
                                     limits_.unpacked_bytes),
                         limits_.unpacked_name);
  }
  // Division, since a product of two settings may overflow.
  if (total > kRatioFloor && total / limits_.ratio > packed_bytes_) {
    return RefuseArchive(fmt::format("unpacks to more than {} times its size, as archive bombs do; "
                                     "leave out files that are mostly zeros",
                                     limits_.ratio),
                         "limits.archive_ratio");
  }
  return {};
}

}  // namespace koya
