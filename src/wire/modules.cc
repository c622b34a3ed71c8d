#include "wire/modules.h"

#include <fmt/format.h>

#include "wire/comparison_document.h"
#include "wire/document.h"
#include "wire/json_writer.h"
#include "wire/read_warning_document.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kModuleVersions = "the list of module versions";
constexpr std::string_view kModuleList = "the list of modules";

json::value ModuleId(const ModuleDetails& details) {
  return json::value(
      fmt::format("{}/{}/{}/{}", details.ns, details.name, details.system, details.version));
}

// There is no programme that verifies authors.
json::value NotVerified(const ModuleDetails&) { return false; }

}  // namespace

template <>
constexpr auto kDocument<ModuleDetails> = Document(
    "the module's details", Written<ModuleDetails>{"id", ModuleId},
    Optional("owner", &ModuleDetails::owner), Required("namespace", &ModuleDetails::ns),
    Required("name", &ModuleDetails::name), Required("version", &ModuleDetails::version),
    Required("provider", &ModuleDetails::system),
    Optional("description", &ModuleDetails::description),
    Optional("source", &ModuleDetails::source),
    Optional("published_at", &ModuleDetails::published_at),
    Optional("downloads", &ModuleDetails::downloads),
    Written<ModuleDetails>{"verified", NotVerified},
    OrAbsent("provenance", &ModuleDetails::provenance),
    OrAbsent("versions", &ModuleDetails::versions), OrAbsent("providers", &ModuleDetails::systems));

template <>
constexpr auto kDocument<PublishedModule> = Document(
    "the answer to the publish", Required("address", &PublishedModule::address),
    Required("version", &PublishedModule::version), Required("digest", &PublishedModule::digest),
    Optional("size", &PublishedModule::size), Optional("location", &PublishedModule::location),
    Optional("repacked", &PublishedModule::repacked),
    Optional("dry_run", &PublishedModule::dry_run),
    Optional("warnings", &PublishedModule::warnings),
    Optional("warnings_left_out", &PublishedModule::warnings_left_out),
    Optional("comparison", &PublishedModule::comparison),
    OrAbsent("semver", &PublishedModule::semver), OrAbsent("refusal", &PublishedModule::refusal));

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
  ASSIGN_OR_RETURN(json::object document, ParseObject(kModuleVersions, body));
  ASSIGN_OR_RETURN(const json::array* modules, RequiredArray(kModuleVersions, document, "modules"));
  if (modules->empty()) {
    return Fail(ErrorKind::kInvalid, fmt::format("{}: \"modules\" is empty", kModuleVersions));
  }
  ASSIGN_OR_RETURN(const json::object* first,
                   ElementObject(kModuleVersions, modules->front(), "modules"));
  ModuleVersions out;
  ASSIGN_OR_RETURN(out.source, OptionalString(kModuleVersions, *first, "source"));
  ASSIGN_OR_RETURN(out.versions,
                   RequiredObjects<std::string>(
                       kModuleVersions, *first, "versions", [](const json::object& entry) {
                         return RequiredString(kModuleVersions, entry, "version");
                       }));
  return out;
}

std::string EncodeModuleLocation(std::string_view location) {
  return EncodeText("location", location);
}
Result<std::string> DecodeModuleLocation(std::string_view body) {
  return DecodeText("the download document", "location", body);
}

std::string EncodeModuleDetails(const ModuleDetails& details, std::string_view inside) {
  std::string text = Encode(details);
  if (inside.size() <= std::string_view("{}").size()) return text;
  text.back() = ',';
  return text.append(inside.substr(1));
}
Result<ModuleDetails> DecodeModuleDetails(std::string_view body) {
  return Decode<ModuleDetails>(body);
}

std::string EncodeModuleList(const ModuleList& list) {
  return EncodePage(list, "modules", list.modules);
}
Result<ModuleList> DecodeModuleList(std::string_view body) {
  return DecodePage(kModuleList, "modules", &ModuleList::modules, body);
}

std::string EncodePublishedModule(const PublishedModule& published) { return Encode(published); }
Result<PublishedModule> DecodePublishedModule(std::string_view body) {
  return Decode<PublishedModule>(body);
}

std::string EncodeWithdrawal(std::string_view reason) { return EncodeText("reason", reason); }
Result<std::string> DecodeWithdrawal(std::string_view body) {
  return DecodeText("the request", "reason", body);
}

}  // namespace koya::wire
