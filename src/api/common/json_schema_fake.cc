#include "api/common/json_schema_fake.h"

#include <fmt/format.h>

#include <algorithm>

namespace koya::api {
namespace {

namespace json = boost::json;

std::string MismatchOfAny(const json::value& document, const json::array& choices,
                          const json::value& value, const std::string& place) {
  std::string why;
  for (const json::value& each : choices) {
    const std::string one = Mismatch(document, each.get_object(), value, place);
    if (one.empty()) return {};
    why += one + "; ";
  }
  return why;
}

bool HasType(std::string_view type, const json::value& value) {
  return (type == "string" && value.is_string()) || (type == "boolean" && value.is_bool()) ||
         (type == "null" && value.is_null()) || (type == "array" && value.is_array()) ||
         (type == "object" && value.is_object()) || (type == "number" && value.is_number()) ||
         (type == "integer" && (value.is_int64() || value.is_uint64()));
}

std::string MismatchOfObject(const json::value& document, const json::object& schema,
                             const json::object& object, const std::string& place) {
  if (const json::value* required = schema.if_contains("required")) {
    for (const json::value& each : required->get_array()) {
      if (!object.contains(each.get_string())) {
        return fmt::format("{} lacks {}", place, std::string_view(each.get_string()));
      }
    }
  }
  const json::value* others = schema.if_contains("additionalProperties");
  const json::value* properties = schema.if_contains("properties");
  for (const auto& [key, value] : object) {
    const json::value* each =
        properties == nullptr ? nullptr : properties->get_object().if_contains(key);
    if (each == nullptr) each = others;
    const std::string name = fmt::format("{}.{}", place, std::string_view(key));
    if (each == nullptr) return name + " is not described";
    const std::string why = Mismatch(document, each->get_object(), value, name);
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace

const json::value* Resolve(const json::value& document, std::string_view reference) {
  if (!reference.starts_with("#/")) return nullptr;
  boost::system::error_code failed;
  return document.find_pointer(reference.substr(1), failed);
}

std::string Mismatch(const json::value& document, const json::object& schema,
                     const json::value& value, const std::string& place) {
  if (const json::value* reference = schema.if_contains("$ref")) {
    const json::value* named = Resolve(document, reference->get_string());
    return named == nullptr ? place + " leads nowhere"
                            : Mismatch(document, named->get_object(), value, place);
  }
  if (const json::value* choices = schema.if_contains("anyOf")) {
    return MismatchOfAny(document, choices->get_array(), value, place);
  }
  if (const json::value* texts = schema.if_contains("enum")) {
    const json::array& all = texts->get_array();
    if (std::find(all.begin(), all.end(), value) == all.end()) return place + " is another text";
  }
  if (const json::value* type = schema.if_contains("type")) {
    json::array types = type->is_array() ? type->get_array() : json::array{*type};
    if (std::none_of(types.begin(), types.end(), [&value](const json::value& each) {
          return HasType(each.get_string(), value);
        })) {
      return fmt::format("{} is {}, not {}", place, json::serialize(value), json::serialize(*type));
    }
  }
  if (const json::array* items = value.if_array(); items && schema.contains("items")) {
    for (const json::value& each : *items) {
      const std::string why =
          Mismatch(document, schema.at("items").get_object(), each, place + "[]");
      if (!why.empty()) return why;
    }
  }
  const json::object* object = value.if_object();
  if (object == nullptr || !(schema.contains("properties") || schema.contains("required") ||
                             schema.contains("additionalProperties"))) {
    return {};
  }
  return MismatchOfObject(document, schema, *object, place);
}

}  // namespace koya::api
