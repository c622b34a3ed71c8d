// Parses untrusted JSON in bounded memory. A few bytes of text can demand a hundred times as much
// memory ("[[],[],…]"), so the memory of a document is limited before its first byte is parsed, and
// unwanted members take none. Included by json_reader.cc and record_lines.cc only.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <span>
#include <string_view>

namespace koya::wire {

struct JsonLimits {
  // The names of the wanted members, at any depth; the values of others are skipped while parsing.
  // Empty: all are wanted.
  std::span<const std::string_view> members = {};
  std::size_t storage = 16 << 20;  // the most memory for the values, in bytes
  // Rejects duplicate names in one object, at any depth. Otherwise the last one counts, while other
  // readers may take the first.
  bool unique_members = false;
};

// Enough for lists of thousands of versions with a dozen platforms each.
inline constexpr std::size_t kForeignStorage = 8 << 20;

// At most 32 levels deep. When the document needs more than `bounds.storage`, `ec` is
// errc::not_enough_memory; for a rejected duplicate name, errc::invalid_argument. The value shares
// ownership of its storage.
boost::json::value ParseBounded(std::string_view text, const JsonLimits& bounds,
                                boost::system::error_code& ec);

}  // namespace koya::wire
