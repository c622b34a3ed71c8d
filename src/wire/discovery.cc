#include "wire/discovery.h"

#include "wire/json_reader.h"
#include "wire/schema.h"

namespace koya::wire {

namespace json = boost::json;

std::string EncodeDiscovery(const std::vector<Service>& services, std::string_view login) {
  json::object document;
  if (!login.empty()) document["login.v1"] = json::parse({login.data(), login.size()});
  for (const Service& service : services) document[service.id] = service.url;
  return json::serialize(document);
}

Result<std::vector<Service>> DecodeDiscovery(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document,
                   ParseObject("the discovery document", body, {.storage = kForeignStorage}));
  std::vector<Service> services;
  for (const auto& [id, value] : document) {
    if (value.is_string()) services.push_back({std::string(id), std::string(value.get_string())});
  }
  return services;
}

void AddDiscoverySchemas(SchemaList& list) {
  AddShape(list, "Discovery",
           "{modules.v1: text, providers.v1: text, login.v1: {client: text, grant_types: [text], "
           "authz: text, token: text, ports: [integer]}}");
}

}  // namespace koya::wire
