#include "wire/discovery.h"

#include "wire/document.h"
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

template <>
constexpr auto kDocument<ClientProgram> =
    Document("the list of programs", Required("os", &ClientProgram::os),
             Required("arch", &ClientProgram::arch), Required("url", &ClientProgram::url),
             Required("sha256", &ClientProgram::sha256), Required("size", &ClientProgram::size));

template <>
constexpr auto kDocument<ClientPrograms> =
    Document("the list of programs", Required("version", &ClientPrograms::version),
             Required("platforms", &ClientPrograms::platforms));

KOYA_DOCUMENT(ClientPrograms);

void AddDiscoverySchemas(SchemaList& list) {
  AddShape(list, "Discovery",
           "{modules.v1: text, providers.v1: text, login.v1?: {client: text, grant_types: [text], "
           "authz: text, token: text, ports: [integer]}}");
}

}  // namespace koya::wire
