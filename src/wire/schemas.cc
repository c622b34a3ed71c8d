#include "wire/schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "wire/shape_reader.h"

namespace koya::wire {
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
