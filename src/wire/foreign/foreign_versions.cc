#include "wire/foreign/foreign_versions.h"

#include <string>
#include <utility>

#include "wire/json_reader.h"
#include "wire/provider_parts.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kDocumentName = "the list of provider versions";
constexpr std::string_view kMembers[] = {
    "id", "warnings", "versions", "version", "protocols", "platforms", "os", "arch", "discovered"};

constexpr std::string_view kDetails = "the details of a version";
constexpr std::string_view kDetailsMembers[] = {"published_at", "source"};

}  // namespace

Result<ForeignDetails> DecodeForeignDetails(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kDetails, body, {kDetailsMembers, kForeignStorage}));
  return ForeignDetails{
      .published_at = OptionalString(kDetails, document, "published_at").value_or(""),
      .source = OptionalString(kDetails, document, "source").value_or("")};
}

Result<ForeignVersions> DecodeForeignVersions(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kDocumentName, body, {kMembers, kForeignStorage}));
  ForeignVersions out;
  if (auto id = OptionalString(kDocumentName, document, "id")) out.document.id = *std::move(id);
  if (auto warnings = OptionalStrings(kDocumentName, document, "warnings")) {
    out.document.warnings = *std::move(warnings);
  }
  const json::value* versions = document.if_contains("versions");
  if (versions == nullptr || versions->is_null()) return out;
  ASSIGN_OR_RETURN(const json::array* entries, RequiredArray(kDocumentName, document, "versions"));
  for (const json::value& each : *entries) {
    Result<ProviderVersion> version = MustBe(kDocumentName, "versions", "an array of objects");
    if (each.is_object()) version = ReadObject<ProviderVersion>(each.get_object());
    if (version) {
      out.document.versions.push_back(*std::move(version));
    } else {
      ++out.skipped;
    }
  }
  return out;
}

namespace {

namespace json = boost::json;

constexpr std::string_view kVersions = "the list of module versions";
// Registries also list each version's submodules and providers, at length.
constexpr std::string_view kVersionsMembers[] = {"modules", "versions", "version", "discovered"};
constexpr std::string_view kLocationMembers[] = {"location", "use_registry_credentials"};
constexpr std::string_view kLocation = "the download document";

Result<std::string> Entry(const json::value& value, std::map<std::string, std::string>& times) {
  ASSIGN_OR_RETURN(const json::object* entry, ElementObject(kVersions, value, "versions"));
  ASSIGN_OR_RETURN(std::string version, RequiredString(kVersions, *entry, "version"));
  auto time = OptionalString(kVersions, *entry, "discovered");
  if (time && !time->empty()) times.try_emplace(version, *std::move(time));
  return version;
}

}  // namespace

Result<ForeignModuleVersions> DecodeForeignModuleVersions(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kVersions, body, {kVersionsMembers, kForeignStorage}));
  ASSIGN_OR_RETURN(const json::array* modules, RequiredArray(kVersions, document, "modules"));
  if (modules->empty()) {
    return FailInvalid(
        "the list of module versions has an empty \"modules\": clients require one module there");
  }
  ASSIGN_OR_RETURN(const json::object* module,
                   ElementObject(kVersions, modules->front(), "modules"));
  ForeignModuleVersions out;
  const json::value* versions = module->if_contains("versions");
  if (versions == nullptr || versions->is_null()) return out;
  ASSIGN_OR_RETURN(const json::array* entries, RequiredArray(kVersions, *module, "versions"));
  for (const json::value& each : *entries) {
    auto version = Entry(each, out.discovered);
    if (version) {
      out.versions.push_back(*std::move(version));
    } else {
      ++out.skipped;
    }
  }
  return out;
}

Result<ForeignModuleLocation> DecodeForeignModuleLocation(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kLocation, body, {kLocationMembers, kForeignStorage}));
  ForeignModuleLocation out;
  ASSIGN_OR_RETURN(out.location, OptionalString(kLocation, document, "location"));
  out.direct = document.contains("use_registry_credentials");
  return out;
}

}  // namespace koya::wire
