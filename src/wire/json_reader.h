// Reads untrusted JSON documents: bounded depth, and errors that name the place. Included by wire's
// .cc files only, since it pulls in Boost.JSON.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// A few bytes of text can demand a hundred times as much memory ("[[],[],…]"), so the memory of a
// document is limited before its first byte is parsed, and unwanted members take none.

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

// Parses `body` as one JSON object, at most 32 levels deep. `what` names the document in errors.
// Fails: kInvalid; the message says so when a limit was reached.
Result<boost::json::object> ParseObject(std::string_view what, std::string_view body,
                                        const JsonLimits& bounds = {});

// "WHAT: "KEY" must be WANTED".
Failure MustBe(std::string_view what, std::string_view key, std::string_view wanted);

// The member `key`. Absent and null give the empty value; another type fails with kInvalid.
Result<std::string> OptionalString(std::string_view what, const boost::json::object& object,
                                   std::string_view key);
Result<std::vector<std::string>> OptionalStrings(std::string_view what,
                                                 const boost::json::object& object,
                                                 std::string_view key);
Result<std::optional<std::uint64_t>> OptionalNumber(std::string_view what,
                                                    const boost::json::object& object,
                                                    std::string_view key);
Result<bool> OptionalBool(std::string_view what, const boost::json::object& object,
                          std::string_view key);
// As OptionalString, but fails also when absent or empty.
Result<std::string> RequiredString(std::string_view what, const boost::json::object& object,
                                   std::string_view key);
// The array `key`; absent fails.
Result<const boost::json::array*> RequiredArray(std::string_view what,
                                                const boost::json::object& object,
                                                std::string_view key);
// An element of an array, which must be an object.
Result<const boost::json::object*> ElementObject(std::string_view what,
                                                 const boost::json::value& element,
                                                 std::string_view key);
// The results of `read` (const object& → Result<T>) for the elements of the array `key`.
template <class T, class Read>
Result<std::vector<T>> RequiredObjects(std::string_view what, const boost::json::object& object,
                                       std::string_view key, Read read) {
  ASSIGN_OR_RETURN(const boost::json::array* elements, RequiredArray(what, object, key));
  std::vector<T> out;
  for (const boost::json::value& each : *elements) {
    ASSIGN_OR_RETURN(const boost::json::object* element, ElementObject(what, each, key));
    ASSIGN_OR_RETURN(T item, read(*element));
    out.push_back(std::move(item));
  }
  return out;
}
// The same, but absent and null give an empty list.
template <class T, class Read>
Result<std::vector<T>> OptionalObjects(std::string_view what, const boost::json::object& object,
                                       std::string_view key, Read read) {
  const boost::json::value* value = object.if_contains(key);
  if (value == nullptr || value->is_null()) return std::vector<T>();
  return RequiredObjects<T>(what, object, key, std::move(read));
}

}  // namespace koya::wire
