#include "wire/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/schemas.h"
#include "wire/shape_reader.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

// Fails for a name that no document has.
Status CheckNames(const json::value& schema) {
  if (const json::array* list = schema.if_array()) {
    for (const json::value& each : *list) RETURN_IF_ERROR(CheckNames(each));
  }
  const json::object* object = schema.if_object();
  if (object == nullptr) return {};
  for (const auto& [key, value] : *object) {
    if (key != "$ref" || !value.is_string()) {
      RETURN_IF_ERROR(CheckNames(value));
      continue;
    }
    const std::string_view name =
        std::string_view(value.get_string()).substr(kSchemaReference.size());
    if (FindDocumentSchema(name) == nullptr) {
      return FailInvalid("no document is called {}", name);
    }
  }
  return {};
}

bool HoldsText(const json::array& texts, std::string_view text) {
  return std::ranges::any_of(texts, [text](const json::value& each) {
    return each.is_string() && std::string_view(each.get_string()) == text;
  });
}

// Writes schemas in the notation of shapes, a member of an object a line.
class SchemaPrinter {
 public:
  std::string text;

  void Print(const json::object& schema, int level) {
    if (const json::value* name = schema.if_contains("$ref")) {
      PrintNamed(std::string_view(name->get_string()).substr(kSchemaReference.size()), level);
    } else if (const json::value* choices = schema.if_contains("anyOf")) {
      PrintChoices(choices->get_array(), level);
    } else if (const json::value* texts = schema.if_contains("enum")) {
      PrintTexts(texts->get_array());
    } else if (const json::value* constant = schema.if_contains("const")) {
      text += json::serialize(*constant);
    } else if (const json::value* type = schema.if_contains("type")) {
      PrintType(schema, *type, level);
    } else {
      text += "any";
    }
  }

 private:
  // No document holds itself, but that is for the documents to say.
  static constexpr int kDeepestLevel = 8;

  void PrintNamed(std::string_view name, int level) {
    const json::object* schema = FindDocumentSchema(name);
    if (schema == nullptr || level > kDeepestLevel) {
      text += name;
    } else {
      Print(*schema, level);
    }
  }

  void PrintChoices(const json::array& choices, int level) {
    bool first = true;
    for (const json::value& each : choices) {
      if (!first) text += " | ";
      first = false;
      Print(each.get_object(), level);
    }
  }

  void PrintTexts(const json::array& texts) {
    bool first = true;
    for (const json::value& each : texts) {
      if (!first) text += " | ";
      first = false;
      text += json::serialize(each);
    }
  }

  void PrintType(const json::object& schema, const json::value& type, int level) {
    if (const json::array* types = type.if_array()) {
      PrintOne(schema, types->front().get_string(), level);
      text += " | null";
      return;
    }
    PrintOne(schema, type.get_string(), level);
  }

  void PrintOne(const json::object& schema, std::string_view type, int level) {
    if (type == "array") {
      text += '[';
      Print(schema.at("items").get_object(), level);
      text += ']';
    } else if (type == "object") {
      PrintObject(schema, level);
    } else if (type == "string") {
      text += schema.contains("format") ? "time" : "text";
    } else if (type == "integer" && schema.contains("maximum")) {
      text += fmt::format("{}..{}", schema.at("minimum").to_number<std::int64_t>(),
                          schema.at("maximum").to_number<std::int64_t>());
    } else {
      text += type;
    }
  }

  void PrintObject(const json::object& schema, int level) {
    if (const json::value* each = schema.if_contains("additionalProperties")) {
      text += "{*: ";
      Print(each->get_object(), level);
      text += '}';
      return;
    }
    const json::value* required = schema.if_contains("required");
    text += "{\n";
    for (const auto& [key, value] : schema.at("properties").get_object()) {
      const bool is_needed = required != nullptr && HoldsText(required->get_array(), key);
      text.append(static_cast<std::size_t>(2 * (level + 1)), ' ');
      text += fmt::format("{}{}: ", std::string_view(key), is_needed ? "" : "?");
      Print(value.get_object(), level + 1);
      text += '\n';
    }
    text.append(static_cast<std::size_t>(2 * level), ' ');
    text += '}';
  }
};

}  // namespace

const std::vector<std::string>& DocumentNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& [name, schema] : DocumentSchemas()) names.emplace_back(name);
    return names;
  }();
  return kNames;
}

Result<std::string> ShapeSchema(std::string_view shape) {
  ASSIGN_OR_RETURN(json::object schema, ReadShape(shape));
  RETURN_IF_ERROR(CheckNames(schema));
  return json::serialize(schema);
}

Result<std::string> ShapeText(std::string_view shape) {
  ASSIGN_OR_RETURN(json::object schema, ReadShape(shape));
  RETURN_IF_ERROR(CheckNames(schema));
  SchemaPrinter printer;
  printer.Print(schema, 0);
  return std::move(printer.text);
}

}  // namespace koya::wire
