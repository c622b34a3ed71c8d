// Reads untrusted JSON documents: bounded depth, and errors that name the place. Included by wire's
// .cc files only, since it pulls in Boost.JSON.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/json_parser.h"

namespace koya::wire {

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
