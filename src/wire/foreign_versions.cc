#include "wire/foreign_versions.h"

#include <string>
#include <utility>

#include "wire/json_reader.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kDocument = "the list of provider versions";
constexpr std::string_view kMembers[] = {"id",        "warnings",  "versions", "version",
                                         "protocols", "platforms", "os",       "arch"};

// No client decodes platforms, so they never cost a version.
std::vector<PlatformName> Platforms(const json::object& entry) {
  std::vector<PlatformName> platforms;
  auto elements = RequiredArray(kDocument, entry, "platforms");
  if (!elements) return platforms;
  for (const json::value& each : **elements) {
    if (!each.is_object()) continue;
    auto os = RequiredString(kDocument, each.get_object(), "os");
    auto arch = RequiredString(kDocument, each.get_object(), "arch");
    if (os && arch) platforms.push_back({*std::move(os), *std::move(arch)});
  }
  return platforms;
}

Result<ProviderVersion> Entry(const json::value& value) {
  ASSIGN_OR_RETURN(const json::object* entry, ElementObject(kDocument, value, "versions"));
  ProviderVersion version;
  ASSIGN_OR_RETURN(version.version, RequiredString(kDocument, *entry, "version"));
  ASSIGN_OR_RETURN(version.protocols, OptionalStrings(kDocument, *entry, "protocols"));
  version.platforms = Platforms(*entry);
  return version;
}

}  // namespace

Result<ForeignVersions> DecodeForeignVersions(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kDocument, body, {kMembers, kForeignStorage}));
  ForeignVersions out;
  if (auto id = OptionalString(kDocument, document, "id")) out.document.id = *std::move(id);
  if (auto warnings = OptionalStrings(kDocument, document, "warnings")) {
    out.document.warnings = *std::move(warnings);
  }
  const json::value* versions = document.if_contains("versions");
  if (versions == nullptr || versions->is_null()) return out;
  ASSIGN_OR_RETURN(const json::array* entries, RequiredArray(kDocument, document, "versions"));
  for (const json::value& each : *entries) {
    auto version = Entry(each);
    if (version) {
      out.document.versions.push_back(*std::move(version));
    } else {
      ++out.skipped;
    }
  }
  return out;
}

}  // namespace koya::wire
