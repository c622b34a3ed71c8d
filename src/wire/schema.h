// Derives JSON Schemas (2020-12, as in OpenAPI 3.1) from the declarations of documents, so that
// descriptions match reading and writing. Included by wire's .cc files only, since it pulls in
// Boost.JSON.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/document.h"

namespace koya::wire {

// The schemas of documents, by the names that routes use.
using SchemaList = std::vector<std::pair<std::string_view, boost::json::object>>;

template <class T>
struct SchemaTag {};

inline boost::json::object SchemaFor(SchemaTag<std::string>) { return {{"type", "string"}}; }
inline boost::json::object SchemaFor(SchemaTag<std::optional<std::string>>) {
  return {{"type", "string"}};
}
inline boost::json::object SchemaFor(SchemaTag<bool>) { return {{"type", "boolean"}}; }
inline boost::json::object SchemaFor(SchemaTag<std::int64_t>) { return {{"type", "integer"}}; }
inline boost::json::object SchemaFor(SchemaTag<std::uint64_t>) {
  return {{"type", "integer"}, {"minimum", 0}};
}
inline boost::json::object SchemaFor(SchemaTag<std::optional<std::uint64_t>>) {
  return SchemaFor(SchemaTag<std::uint64_t>());
}
inline boost::json::object SchemaFor(SchemaTag<std::map<std::string, std::string>>) {
  return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
}
inline boost::json::object SchemaFor(SchemaTag<std::map<std::string, std::uint64_t>>) {
  return {{"type", "object"}, {"additionalProperties", SchemaFor(SchemaTag<std::uint64_t>())}};
}
inline boost::json::object ListSchema(boost::json::object items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}
inline boost::json::object NullableSchema(boost::json::object schema) {
  const boost::json::value* type = schema.if_contains("type");
  if (type != nullptr && type->is_string()) {
    boost::json::array types{*type, "null"};
    schema["type"] = std::move(types);
    return schema;
  }
  return {{"anyOf", {std::move(schema), boost::json::object{{"type", "null"}}}}};
}
inline boost::json::object SchemaFor(SchemaTag<std::vector<std::string>>) {
  return ListSchema(SchemaFor(SchemaTag<std::string>()));
}

template <Described T>
boost::json::object SchemaFor(SchemaTag<T>);
template <Described T>
boost::json::object SchemaFor(SchemaTag<std::vector<T>>) {
  return ListSchema(SchemaFor(SchemaTag<T>()));
}
template <Described T>
boost::json::object SchemaFor(SchemaTag<std::optional<T>>) {
  return NullableSchema(SchemaFor(SchemaTag<T>()));
}

template <class Owner, class Value>
void AddMember(const Member<Owner, Value>& member, boost::json::object& properties,
               boost::json::array& required) {
  boost::json::object schema = SchemaFor(SchemaTag<Value>());
  if (member.empty == Empty::kNull && !schema.contains("anyOf")) {
    schema = NullableSchema(std::move(schema));
  }
  properties[member.key] = std::move(schema);
  if (member.reading == Reading::kRequired) {
    required.emplace_back(boost::json::string_view(member.key.data(), member.key.size()));
  }
}
// A write-only member may have any value.
template <class Owner>
void AddMember(const Written<Owner>& member, boost::json::object& properties, boost::json::array&) {
  properties[member.key] = boost::json::object();
}

template <Described T>
boost::json::object SchemaFor(SchemaTag<T>) {
  boost::json::object properties;
  boost::json::array required;
  std::apply([&](const auto&... member) { (AddMember(member, properties, required), ...); },
             kDocument<T>.members);
  boost::json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

template <Described T>
void AddSchema(SchemaList& list) {
  list.emplace_back(TypeName<T>(), SchemaFor(SchemaTag<T>()));
}
// For hand-written JSON: its shape, in the notation of openapi.h. Throws std::logic_error for an
// unreadable shape, since shapes are part of the program.
void AddShape(SchemaList& list, std::string_view name, std::string_view shape);

// Each is defined in the .cc file of its documents.
void AddAccountSchemas(SchemaList& list);
void AddAdminSchemas(SchemaList& list);
void AddBackupSchemas(SchemaList& list);
void AddAuditSchemas(SchemaList& list);
void AddComparisonSchemas(SchemaList& list);
void AddDiscoverySchemas(SchemaList& list);
void AddErrorSchemas(SchemaList& list);
void AddIdentitySchemas(SchemaList& list);
void AddInventorySchemas(SchemaList& list);
void AddMirrorSchemas(SchemaList& list);
void AddExplanationSchemas(SchemaList& list);
void AddMirrorStatusSchemas(SchemaList& list);
void AddModuleSchemas(SchemaList& list);
void AddNamespaceSchemas(SchemaList& list);
void AddNotificationSchemas(SchemaList& list);
void AddPolicySchemas(SchemaList& list);
void AddProviderSchemas(SchemaList& list);
void AddProviderDocsSchemas(SchemaList& list);
void AddProviderPublishingSchemas(SchemaList& list);
void AddReadingSchemas(SchemaList& list);
void AddReadmeSchemas(SchemaList& list);
void AddSearchSchemas(SchemaList& list);
void AddSignInSchemas(SchemaList& list);
void AddTokenSchemas(SchemaList& list);
void AddTrustSchemas(SchemaList& list);
void AddUsageSchemas(SchemaList& list);
void AddVerifySchemas(SchemaList& list);

// ---- the schemas of all API documents by name, for shapes and for OpenAPI

// All schemas, sorted by name; built once.
const SchemaList& DocumentSchemas();
// nullptr: unknown name.
const boost::json::object* FindDocumentSchema(std::string_view name);

// Converts a shape (openapi.h) to a JSON Schema.
// Names become {"$ref": "#/components/schemas/NAME"}, whether such a document exists or not.
Result<boost::json::object> ReadShape(std::string_view shape);

inline constexpr std::string_view kSchemaReference = "#/components/schemas/";

}  // namespace koya::wire
