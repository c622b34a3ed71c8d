#include "wire/foreign/foreign_versions.h"

#include <string>
#include <utility>

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

}  // namespace koya::wire
