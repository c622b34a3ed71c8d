#include "wire/json_reader.h"

#include <fmt/format.h>

namespace koya::wire {
namespace {

namespace json = boost::json;

const json::value* Find(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string CopyOf(const json::string& text) { return std::string(text.data(), text.size()); }

}  // namespace

Failure MustBe(std::string_view what, std::string_view key, std::string_view wanted) {
  return FailInvalid("{}: \"{}\" must be {}", what, key, wanted);
}

Result<json::object> ParseObject(std::string_view what, std::string_view body,
                                 const JsonLimits& bounds) {
  boost::system::error_code ec;
  json::value value = ParseBounded(body, bounds, ec);
  if (ec == boost::system::errc::not_enough_memory) {
    return FailLimit(
        ErrorKind::kInvalid, "fixed.json_storage",
        fmt::format("{} would take more than {} MiB of memory", what, bounds.storage >> 20));
  }
  if (ec == boost::system::errc::invalid_argument) {
    return FailInvalid(
        "{} has a member twice, so its value is "
        "ambiguous",
        what);
  }
  if (ec) {
    return FailInvalid("{} is not valid JSON: {}", what, ec.message());
  }
  if (!value.is_object()) {
    return FailInvalid("{} must be a JSON object", what);
  }
  return std::move(value.get_object());
}

Result<std::string> OptionalString(std::string_view what, const json::object& object,
                                   std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr) return std::string();
  if (!value->is_string()) return MustBe(what, key, "a string");
  return CopyOf(value->get_string());
}

Result<std::vector<std::string>> OptionalStrings(std::string_view what, const json::object& object,
                                                 std::string_view key) {
  std::vector<std::string> out;
  const json::value* value = Find(object, key);
  if (value == nullptr) return out;
  if (!value->is_array()) return MustBe(what, key, "an array of strings");
  for (const json::value& element : value->get_array()) {
    if (!element.is_string()) return MustBe(what, key, "an array of strings");
    out.push_back(CopyOf(element.get_string()));
  }
  return out;
}

Result<std::optional<std::uint64_t>> OptionalNumber(std::string_view what,
                                                    const json::object& object,
                                                    std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr) return std::optional<std::uint64_t>();
  boost::system::error_code ec;
  auto number = value->to_number<std::uint64_t>(ec);
  if (ec) return MustBe(what, key, "a whole number");
  return std::optional(number);
}

Result<bool> OptionalBool(std::string_view what, const json::object& object, std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr) return false;
  if (!value->is_bool()) return MustBe(what, key, "true or false");
  return value->get_bool();
}

Result<std::string> RequiredString(std::string_view what, const json::object& object,
                                   std::string_view key) {
  ASSIGN_OR_RETURN(std::string text, OptionalString(what, object, key));
  if (text.empty()) return MustBe(what, key, "given, and not empty");
  return text;
}

Result<const json::array*> RequiredArray(std::string_view what, const json::object& object,
                                         std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr || !value->is_array()) return MustBe(what, key, "an array");
  return &value->get_array();
}

Result<const json::object*> ElementObject(std::string_view what, const json::value& element,
                                          std::string_view key) {
  if (!element.is_object()) return MustBe(what, key, "an array of objects");
  return &element.get_object();
}

}  // namespace koya::wire
