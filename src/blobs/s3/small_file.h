// Small files that hold secrets, and are replaced under our eyes: keys and tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secrets.h"

namespace koya::s3 {

// What changes when a file does. One that cannot be looked at has the stamp of zeros.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
FileStamp StampOf(const std::string& path);

// At most 64 KiB. Fails: kInvalid, the detail saying why.
Result<std::string> ReadSmallFile(const std::string& path);

// Without the blanks and line ends around it.
std::string TrimmedLine(std::string_view text);

// Printable ASCII without blanks: what may stand in a header and be a key.
bool IsOneWord(std::string_view text);

}  // namespace koya::s3
