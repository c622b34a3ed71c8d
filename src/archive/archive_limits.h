// Limits on the resources that an archive may take to read, the budget that counts them, and the
// form of a rejection.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace koya {

inline constexpr LimitName kEntriesLimit = "limits.archive_entries";

struct ArchiveLimits {
  std::uint64_t unpacked_bytes = 1ULL << 30;
  std::uint64_t ratio = 200;  // unpacked to packed, checked once 1 MiB has been unpacked
  std::uint64_t entries = 50'000;
  LimitName entries_name = kEntriesLimit;                    // the setting behind entries
  LimitName unpacked_name = "limits.module_unpacked_bytes";  // the setting behind unpacked_bytes
  // The deadline of work on the archive: afterwards it fails with kTimeout.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  // Not owned; may be null. Once a stop is requested, work fails with kUnavailable.
  const std::stop_token* stop = nullptr;
};
inline constexpr LimitName kProviderUnpackedLimit = "limits.provider_unpacked_bytes";

// Counts the unpacked size of an archive and stops at the limits, before the bytes are used.
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

// Formats rejections: one pattern for "the archive …" and one for "entry … …".

// For an entry in a module's archive.
inline constexpr std::string_view kSymbolicLink =
    "is a symbolic link, which clients unpack as an empty file or as one that holds the target's "
    "name; give the module's folder to \"koya publish module FOLDER ADDRESS VERSION\", which packs "
    "a copy of what a link leads to, or pack one yourself (tar --dereference)";

// "the archive <rule>": a fault of the whole archive, and its remedy.
inline Failure RefuseArchive(std::string_view rule, LimitName limit = {}) {
  return FailLimit(ErrorKind::kRefused, limit, "the archive " + std::string(rule));
}

// "entry "main.tf" <rule>": a fault of one entry, and its remedy.
inline Failure RefuseEntry(std::string_view name, std::string_view rule, LimitName limit = {}) {
  return FailLimit(ErrorKind::kRefused, limit,
                   "entry \"" + Printable(name) + "\" " + std::string(rule));
}

}  // namespace koya
