#include "wire/modules.h"

#include <fmt/format.h>

#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kVersionsDocument = "the list of module versions";
constexpr std::string_view kDetailsDocument = "the module's details";
constexpr std::string_view kListDocument = "the list of modules";
constexpr std::string_view kPublishedDocument = "the answer to the publish";

json::object DetailsObject(const ModuleDetails& details) {
  json::object out;
  out["id"] = fmt::format("{}/{}/{}/{}", details.ns, details.name, details.system, details.version);
  out["owner"] = details.owner;
  out["namespace"] = details.ns;
  out["name"] = details.name;
  out["version"] = details.version;
  out["provider"] = details.system;
  out["description"] = details.description;
  out["source"] = details.source;
  out["published_at"] = details.published_at;
  out["verified"] = false;  // there is no programme that verifies authors
  if (!details.versions.empty())
    out["versions"] = json::array(details.versions.begin(), details.versions.end());
  return out;
}

Result<ModuleDetails> ReadDetails(const json::object& object) {
  ModuleDetails out;
  auto required = [&](std::string_view key) {
    return RequiredString(kDetailsDocument, object, key);
  };
  auto optional = [&](std::string_view key) {
    return OptionalString(kDetailsDocument, object, key);
  };
  ASSIGN_OR_RETURN(out.ns, required("namespace"));
  ASSIGN_OR_RETURN(out.name, required("name"));
  ASSIGN_OR_RETURN(out.system, required("provider"));
  ASSIGN_OR_RETURN(out.version, required("version"));
  ASSIGN_OR_RETURN(out.owner, optional("owner"));
  ASSIGN_OR_RETURN(out.description, optional("description"));
  ASSIGN_OR_RETURN(out.source, optional("source"));
  ASSIGN_OR_RETURN(out.published_at, optional("published_at"));
  ASSIGN_OR_RETURN(out.versions, OptionalStrings(kDetailsDocument, object, "versions"));
  return out;
}

}  // namespace

std::string EncodeModuleVersions(const ModuleVersions& document) {
  json::array versions;
  for (const std::string& version : document.versions) {
    json::object element;
    element["version"] = version;
    versions.push_back(std::move(element));
  }
  json::object module_object;
  module_object["source"] = document.source;
  module_object["versions"] = std::move(versions);
  json::object out;
  out["modules"] = json::array{std::move(module_object)};
  return json::serialize(out);
}

Result<ModuleVersions> DecodeModuleVersions(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kVersionsDocument, body));
  ASSIGN_OR_RETURN(const json::array* modules,
                   RequiredArray(kVersionsDocument, document, "modules"));
  if (modules->empty()) {
    return Fail(ErrorKind::kInvalid, fmt::format("{}: \"modules\" is empty", kVersionsDocument));
  }
  ASSIGN_OR_RETURN(const json::object* first,
                   ElementObject(kVersionsDocument, modules->front(), "modules"));
  ModuleVersions out;
  ASSIGN_OR_RETURN(out.source, OptionalString(kVersionsDocument, *first, "source"));
  ASSIGN_OR_RETURN(const json::array* versions,
                   RequiredArray(kVersionsDocument, *first, "versions"));
  for (const json::value& element : *versions) {
    ASSIGN_OR_RETURN(const json::object* entry,
                     ElementObject(kVersionsDocument, element, "versions"));
    ASSIGN_OR_RETURN(std::string version, RequiredString(kVersionsDocument, *entry, "version"));
    out.versions.push_back(std::move(version));
  }
  return out;
}

std::string EncodeModuleLocation(std::string_view location) {
  json::object out;
  out["location"] = json::string_view(location.data(), location.size());
  return json::serialize(out);
}

Result<std::string> DecodeModuleLocation(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject("the download document", body));
  return RequiredString("the download document", document, "location");
}

std::string EncodeModuleDetails(const ModuleDetails& details) {
  return json::serialize(DetailsObject(details));
}

Result<ModuleDetails> DecodeModuleDetails(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kDetailsDocument, body));
  return ReadDetails(document);
}

std::string EncodeModuleList(const ModuleList& list) {
  json::array modules;
  for (const ModuleDetails& details : list.modules) modules.push_back(DetailsObject(details));
  json::object out;
  out["meta"] = PageMeta(list);
  out["modules"] = std::move(modules);
  return json::serialize(out);
}

Result<ModuleList> DecodeModuleList(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kListDocument, body));
  ModuleList out;
  RETURN_IF_ERROR(ReadPageMeta(kListDocument, document, out));
  ASSIGN_OR_RETURN(out.modules,
                   RequiredObjects<ModuleDetails>(kListDocument, document, "modules", ReadDetails));
  return out;
}

std::string EncodePublishedModule(const PublishedModule& published) {
  json::object out;
  out["address"] = published.address;
  out["version"] = published.version;
  out["digest"] = published.digest;
  out["size"] = published.size;
  out["location"] = published.location;
  out["repacked"] = published.repacked;
  return json::serialize(out);
}

Result<PublishedModule> DecodePublishedModule(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kPublishedDocument, body));
  PublishedModule out;
  ASSIGN_OR_RETURN(out.address, RequiredString(kPublishedDocument, document, "address"));
  ASSIGN_OR_RETURN(out.version, RequiredString(kPublishedDocument, document, "version"));
  ASSIGN_OR_RETURN(out.digest, RequiredString(kPublishedDocument, document, "digest"));
  ASSIGN_OR_RETURN(auto size, OptionalNumber(kPublishedDocument, document, "size"));
  ASSIGN_OR_RETURN(out.location, OptionalString(kPublishedDocument, document, "location"));
  ASSIGN_OR_RETURN(out.repacked, OptionalBool(kPublishedDocument, document, "repacked"));
  out.size = size.value_or(0);
  return out;
}

std::string EncodeWithdrawal(std::string_view reason) {
  json::object out;
  out["reason"] = json::string_view(reason.data(), reason.size());
  return json::serialize(out);
}

Result<std::string> DecodeWithdrawal(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject("the request", body));
  return RequiredString("the request", document, "reason");
}

}  // namespace koya::wire
