#include "wire/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr int kDeepest = 12;

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

// Recursive descent over one shape.
class ShapeReader {
 public:
  explicit ShapeReader(std::string_view text) : text_(text) {}

  Result<json::object> ReadAll() {
    ASSIGN_OR_RETURN(json::object schema, ReadChoice(0));
    if (!At().empty()) return Unread("the end");
    return schema;
  }

 private:
  // The rest of the text, from its first non-blank character.
  std::string_view At() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
    return text_;
  }
  bool Take(char c) {
    if (!At().starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  Failure Unread(std::string_view wanted) const {
    return FailInvalid("a shape must have {} at \"{}\"", wanted, text_.substr(0, 30));
  }
  std::string_view TakeName() {
    const std::string_view rest = At();
    const auto end = std::ranges::find_if_not(rest, IsNameCharacter);
    const auto size = static_cast<std::size_t>(end - rest.begin());
    text_.remove_prefix(size);
    return rest.substr(0, size);
  }

  Result<json::object> ReadChoice(int depth) {
    if (depth > kDeepest) return Unread("fewer levels");
    json::array choices;
    do {
      ASSIGN_OR_RETURN(json::object one, ReadOne(depth));
      choices.push_back(std::move(one));
    } while (Take('|'));
    return Joined(std::move(choices));
  }

  // Texts become an enumeration, and null beside one type a second type of it.
  static json::object Joined(json::array choices) {
    if (choices.size() == 1) return std::move(choices.front().as_object());
    json::array texts;
    json::array others;
    bool is_nullable = false;
    for (json::value& each : choices) {
      json::object& schema = each.as_object();
      if (schema.contains("const")) {
        texts.push_back(schema["const"]);
      } else if (schema.contains("type") && schema["type"] == "null") {
        is_nullable = true;
      } else {
        others.push_back(std::move(each));
      }
    }
    if (!texts.empty() && is_nullable) texts.emplace_back(nullptr);
    json::object enumeration{{"type", "string"}, {"enum", texts}};
    if (!texts.empty() && is_nullable) enumeration["type"] = json::array{"string", "null"};
    if (others.empty()) return enumeration;
    if (!texts.empty()) others.push_back(std::move(enumeration));
    if (others.size() == 1) {
      json::object only = std::move(others.front().as_object());
      return is_nullable ? NullableSchema(std::move(only)) : only;
    }
    if (is_nullable && texts.empty()) others.push_back(json::object{{"type", "null"}});
    return {{"anyOf", std::move(others)}};
  }

  Result<json::object> ReadOne(int depth) {
    if (Take('{')) return ReadObject(depth);
    if (Take('[')) {
      ASSIGN_OR_RETURN(json::object items, ReadChoice(depth + 1));
      if (!Take(']')) return Unread("\"]\"");
      return ListSchema(std::move(items));
    }
    if (Take('"')) {
      const std::size_t end = text_.find('"');
      if (end == text_.npos) return Unread("a second quotation mark");
      const std::string_view constant = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      return json::object{{"const", json::string(constant)}};
    }
    return ReadWord();
  }

  Result<json::object> ReadWord() {
    const std::string_view name = TakeName();
    if (name == "text") return SchemaFor(SchemaTag<std::string>());
    if (name == "time") return json::object{{"type", "string"}, {"format", "date-time"}};
    if (name == "any") return json::object();
    if (name == "integer") return SchemaFor(SchemaTag<std::uint64_t>());
    if (name == "number" || name == "boolean" || name == "null") {
      return json::object{{"type", json::string(name)}};
    }
    if (!name.empty() && name.front() >= 'A' && name.front() <= 'Z') {
      return json::object{{"$ref", std::string(kSchemaReference) + std::string(name)}};
    }
    return ReadBounds(name);
  }

  // "1..100".
  Result<json::object> ReadBounds(std::string_view text) const {
    const std::size_t dots = text.find("..");
    if (dots == text.npos) return Unread("a shape");
    json::object schema{{"type", "integer"}};
    const std::string_view ends[] = {text.substr(0, dots), text.substr(dots + 2)};
    for (std::size_t i = 0; i < 2; ++i) {
      std::int64_t bound = 0;
      const char* end = ends[i].data() + ends[i].size();
      const auto [stopped, failed] = std::from_chars(ends[i].data(), end, bound);
      if (failed != std::errc() || stopped != end) return Unread("two numbers");
      schema[i == 0 ? "minimum" : "maximum"] = bound;
    }
    return schema;
  }

  // Behind "{".
  Result<json::object> ReadObject(int depth) {
    if (Take('*')) {
      if (!Take(':')) return Unread("\":\"");
      ASSIGN_OR_RETURN(json::object each, ReadChoice(depth + 1));
      if (!Take('}')) return Unread("\"}\"");
      return json::object{{"type", "object"}, {"additionalProperties", std::move(each)}};
    }
    json::object properties;
    json::array required;
    do {
      const std::string_view key = TakeName();
      if (key.empty() || properties.contains(key)) return Unread("a name of its own");
      const bool may_be_missing = Take('?');
      if (!Take(':')) return Unread("\":\"");
      ASSIGN_OR_RETURN(properties[key], ReadChoice(depth + 1));
      if (!may_be_missing) required.push_back(json::string(key));
    } while (Take(','));
    if (!Take('}')) return Unread("\",\" or \"}\"");
    json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
  }

  std::string_view text_;
};

}  // namespace

Result<json::object> ReadShape(std::string_view shape) { return ShapeReader(shape).ReadAll(); }

namespace {

SchemaList MakeSchemas() {
  SchemaList list;
  for (auto add : {AddAccountSchemas,      AddAdminSchemas,     AddAuditSchemas,
                   AddComparisonSchemas,   AddDiscoverySchemas, AddErrorSchemas,
                   AddIdentitySchemas,     AddInventorySchemas, AddMirrorSchemas,
                   AddMirrorStatusSchemas, AddModuleSchemas,    AddExplanationSchemas,
                   AddNamespaceSchemas,    AddProviderSchemas,  AddReadingSchemas,
                   AddProviderDocsSchemas, AddReadmeSchemas,    AddSearchSchemas,
                   AddSignInSchemas,       AddTokenSchemas,     AddTrustSchemas,
                   AddUsageSchemas,        AddVerifySchemas,    AddProviderPublishingSchemas,
                   AddPolicySchemas,       AddBackupSchemas,    AddNotificationSchemas}) {
    add(list);
  }
  std::ranges::sort(list, {}, [](const auto& each) { return each.first; });
  return list;
}

}  // namespace

void AddShape(SchemaList& list, std::string_view name, std::string_view shape) {
  Result<boost::json::object> schema = ReadShape(shape);
  if (!schema) {
    throw std::logic_error(fmt::format("the shape {}: {}", name, schema.error().message));
  }
  list.emplace_back(name, *std::move(schema));
}

const SchemaList& DocumentSchemas() {
  static const SchemaList kSchemas = MakeSchemas();
  return kSchemas;
}

const boost::json::object* FindDocumentSchema(std::string_view name) {
  const SchemaList& list = DocumentSchemas();
  const auto found = std::ranges::find(list, name, [](const auto& each) { return each.first; });
  return found == list.end() ? nullptr : &found->second;
}

}  // namespace koya::wire
