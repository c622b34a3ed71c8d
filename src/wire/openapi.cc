#include "wire/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "wire/schema.h"

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

namespace {

namespace json = boost::json;

constexpr std::string_view kTokenScheme = "token";
constexpr std::string_view kJsonMedia = "application/json";

json::object Reference(std::string_view kind, std::string_view name) {
  return {{"$ref", fmt::format("#/components/{}/{}", kind, name)}};
}

std::string ErrorName(unsigned status) { return fmt::format("Error{}", status); }

Result<json::object> SchemaOf(std::string_view shape) {
  RETURN_IF_ERROR(ShapeSchema(shape));  // which knows the names
  return ReadShape(shape);
}

Result<json::object> ContentOf(const ApiBody& body) {
  json::object media;
  if (!body.shape.empty()) {
    ASSIGN_OR_RETURN(media["schema"], SchemaOf(body.shape));
  }
  json::object content;
  content[body.media_type] = std::move(media);
  return content;
}

Result<json::object> ParameterOf(const ApiParameter& parameter) {
  json::object out;
  out["name"] = parameter.name;
  out["in"] = parameter.in_path ? "path" : "query";
  out["required"] = parameter.required;
  if (!parameter.text.empty()) out["description"] = parameter.text;
  ASSIGN_OR_RETURN(json::object schema, SchemaOf(parameter.shape));
  if (!parameter.fallback.empty()) {
    boost::system::error_code failed;
    schema["default"] = json::parse(parameter.fallback, failed);
    if (failed) return FailInvalid("a default that isn't JSON");
  }
  out["schema"] = std::move(schema);
  return out;
}

Result<json::object> AnswerOf(const ApiDescription& api, const ApiAnswer& answer) {
  if (answer.status >= 400 && answer.body.media_type.empty()) {
    if (!api.errors.contains(answer.status)) {
      return FailInvalid("the status {} is unknown", answer.status);
    }
    return Reference("responses", ErrorName(answer.status));
  }
  json::object out;
  out["description"] = answer.text.empty() ? SuccessText(answer.status) : answer.text;
  if (!answer.body.media_type.empty()) {
    ASSIGN_OR_RETURN(out["content"], ContentOf(answer.body));
  }
  return out;
}

json::array SecurityOf(const ApiOperation& operation) {
  json::array security;
  if (operation.token == ApiToken::kNone) return security;
  if (operation.token == ApiToken::kOptional) security.push_back(json::object());
  json::array scopes;
  if (!operation.scope.empty()) scopes.push_back(json::string(operation.scope));
  json::object needed;
  needed[kTokenScheme] = std::move(scopes);
  security.push_back(std::move(needed));
  return security;
}

Result<json::object> OperationOf(const ApiDescription& api, const ApiOperation& operation) {
  json::object out;
  out["operationId"] = operation.id;
  out["tags"] = json::array{json::string(operation.group)};
  out["summary"] = operation.summary;
  if (!operation.text.empty()) out["description"] = operation.text;
  json::array parameters;
  for (const ApiParameter& each : operation.parameters) {
    ASSIGN_OR_RETURN(json::object parameter, ParameterOf(each));
    parameters.push_back(std::move(parameter));
  }
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  if (operation.body) {
    ASSIGN_OR_RETURN(json::object content, ContentOf(*operation.body));
    out["requestBody"] = {{"required", operation.body->required}, {"content", std::move(content)}};
  }
  json::object responses;
  for (const ApiAnswer& each : operation.answers) {
    const std::string status = fmt::to_string(each.status);
    if (responses.contains(status)) {
      return FailInvalid("the status {} is listed twice", status);
    }
    ASSIGN_OR_RETURN(responses[status], AnswerOf(api, each));
  }
  responses["default"] = Reference("responses", "Error");
  out["responses"] = std::move(responses);
  out["security"] = SecurityOf(operation);
  return out;
}

json::object ErrorResponse(std::string_view text) {
  json::object content;
  content[kJsonMedia] = {{"schema", Reference("schemas", "Errors")}};
  return {{"description", json::string(text)}, {"content", std::move(content)}};
}

bool IsAnswered(const ApiDescription& api, unsigned status) {
  return std::ranges::any_of(api.operations, [status](const ApiOperation& operation) {
    return std::ranges::any_of(operation.answers, [status](const ApiAnswer& answer) {
      return answer.status == status && answer.body.media_type.empty();
    });
  });
}

json::object Components(const ApiDescription& api) {
  json::object schemas;
  for (const auto& [name, schema] : DocumentSchemas()) schemas[name] = schema;
  json::object responses;
  responses["Error"] =
      ErrorResponse("The request failed. A sentence names the fault, its place, and the fix.");
  for (const auto& [status, text] : api.errors) {
    if (IsAnswered(api, status)) responses[ErrorName(status)] = ErrorResponse(text);
  }
  json::object schemes;
  schemes[kTokenScheme] = {
      {"type", "http"}, {"scheme", "bearer"}, {"description", "`Authorization: Bearer koya_…`"}};
  return {{"schemas", std::move(schemas)},
          {"responses", std::move(responses)},
          {"securitySchemes", std::move(schemes)}};
}

Failure Undescribed(const ApiOperation& operation, Error error) {
  error.message = fmt::format("{} {}: {}", operation.method, operation.path, error.message);
  return Failure(std::move(error));
}

}  // namespace

std::string SuccessText(unsigned status) {
  switch (status) {
    case 200:
      return "Done";
    case 201:
      return "Created";
    case 204:
      return "Done; no content";
    case 206:
      return "Partial content";
    case 302:
    case 303:
      return "Redirect";
    default:
      return "Response";
  }
}

Result<std::string> EncodeOpenApi(const ApiDescription& api) {
  json::object paths;
  for (const ApiOperation& operation : api.operations) {
    Result<json::object> described = OperationOf(api, operation);
    if (!described) return Undescribed(operation, std::move(described).error());
    json::value& path = paths[operation.path];
    if (path.is_null()) path = json::object();
    path.as_object()[operation.method] = *std::move(described);
  }
  json::array tags;
  for (const ApiGroup& group : api.groups) {
    tags.push_back(json::object{{"name", group.name}, {"description", group.text}});
  }
  json::object info{{"title", "Koya"}, {"version", api.version}, {"description", api.text}};
  json::object out;
  out["openapi"] = "3.1.0";
  out["info"] = std::move(info);
  out["servers"] = json::array{json::object{{"url", api.server}}};
  out["tags"] = std::move(tags);
  out["paths"] = std::move(paths);
  out["components"] = Components(api);
  return json::serialize(out);
}

}  // namespace koya::wire
