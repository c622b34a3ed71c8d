// Parses JSON from strangers in bounded memory. A few bytes of text can ask for a hundred times as
// much memory ("[[],[],…]"), so what a document may take is fixed before its first byte is looked
// at, and members that nobody asks for take none. Included by json_reader.cc only.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <span>
#include <string_view>

namespace koya::wire {

struct JsonBounds {
  // The names of members that are kept, at any depth; the values of others are skipped while they
  // are read. Empty: all are kept.
  std::span<const std::string_view> members = {};
  std::size_t storage = 16 << 20;  // the most memory that the values may take, in bytes
  // A name that stands twice in one object, at any depth, is an error. Otherwise the last one
  // counts, while other readers may take the first.
  bool unique_members = false;
};

// Enough for lists of thousands of versions for a dozen platforms each.
inline constexpr std::size_t kForeignStorage = 8 << 20;

// At most 32 levels deep. When the document needs more than `bounds.storage`, `ec` is
// errc::not_enough_memory; when a name stands twice and may not, errc::invalid_argument. The value
// shares ownership of its storage.
boost::json::value ParseBounded(std::string_view text, const JsonBounds& bounds,
                                boost::system::error_code& ec);

}  // namespace koya::wire
