// Reads small files that hold secrets and may be replaced at any time: keys and tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secrets.h"

namespace koya::s3 {

// Identifies a version of a file. All zeros when the file cannot be inspected.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
FileStamp StampOf(const std::string& path);

// Reads at most 64 KiB. Fails: kInvalid, with the reason in the detail.
Result<std::string> ReadSmallFile(const std::string& path);

// Strips blanks and line ends from both ends.
std::string TrimmedLine(std::string_view text);

// Printable ASCII without blanks: fit for a header value and for a key.
bool IsOneWord(std::string_view text);

}  // namespace koya::s3
