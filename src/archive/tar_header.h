// Parses 512-byte tar header blocks and the records of pax headers: POSIX.1-2017 "pax", and GNU
// tar's base-256 numbers. Pure functions over bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

inline constexpr std::size_t kTarBlock = 512;
using TarBlock = std::array<std::byte, kTarBlock>;

struct TarHeader {
  std::string name;  // as written, with the ustar prefix prepended
  std::uint64_t size = 0;
  char type = '0';
  bool executable = false;
  std::string link = {};  // a link's target, as written
  // The mode bits other than permissions: some readers derive the type from them.
  std::uint64_t mode_type = 0;
  bool plain =
      false;  // POSIX's header of a file, a folder or pax records, and nothing unusual in it
};

bool IsZeroBlock(const TarBlock& block);

// Fails: kRefused when the block is not a tar header (its checksum is wrong), or readers disagree
// about its name or size.
Result<TarHeader> ParseTarHeader(const TarBlock& block);

// Changes that a pax header makes to the next entry.
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
  std::optional<std::string> link;
  bool sparse = false;
  bool plain = true;  // nothing but well-known records with ordinary values
};

// Records that say nothing about names, sizes, links or holes (times, owners, comments) are
// skipped. Fails: kRefused when the records are malformed.
Result<PaxRecords> ParsePaxRecords(std::string_view text);

}  // namespace koya
