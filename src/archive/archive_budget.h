// Counts the unpacked size of an archive and stops at the limits, before the bytes are used.
#pragma once

#include <cstdint>
#include <string_view>

#include "archive/archive_limits.h"
#include "base/result.h"

namespace koya {

class ArchiveBudget {
 public:
  ArchiveBudget(const ArchiveLimits& limits, std::uint64_t packed_bytes)
      : limits_(limits), packed_bytes_(packed_bytes) {}

  // Charges one entry (or one header without an entry). Fails: kRefused.
  Status AddEntry();
  // Charges the name of an entry, or the target of a link: names are held in memory. Fails:
  // kRefused.
  Status AddName(std::size_t bytes);
  // Charges bytes that were unpacked. Fails: kRefused, on the total or the ratio;
  // as CheckTime.
  Status AddUnpacked(std::uint64_t bytes);
  // Charges packed bytes each time that they are read: once, and again where copies replace links.
  // Fails: kRefused; as CheckTime.
  Status AddPacked(std::uint64_t bytes);
  // Checks the sizes that an archive announces, so that nothing of a bomb is unpacked. Fails:
  // kRefused.
  Status CheckAnnouncedEntries(std::uint64_t entries) const;
  Status CheckAnnouncedBytes(std::string_view entry, std::uint64_t bytes) const;
  // Fails: kTimeout after limits.until; kUnavailable once limits.stop is requested.
  Status CheckTime() const;

 private:
  Status CheckTotal(std::uint64_t total) const;

  ArchiveLimits limits_;
  std::uint64_t packed_bytes_;
  std::uint64_t entries_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t packed_read_ = 0;
  std::uint64_t name_bytes_ = 0;
};

}  // namespace koya
