#include "wire/modules.h"

#include <fmt/format.h>

#include "wire/document.h"
#include "wire/json_writer.h"
#include "wire/schema.h"
#include "wire/shared_documents.h"

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
    OrAbsent("source", &ModuleDetails::source), OrAbsent("source_url", &ModuleDetails::source_url),
    Optional("published_at", &ModuleDetails::published_at),
    Optional("downloads", &ModuleDetails::downloads),
    Written<ModuleDetails>{"verified", NotVerified},
    OrAbsent("visibility", &ModuleDetails::visibility),
    OrAbsent("warning", &ModuleDetails::deprecation),
    Optional("deprecated", &ModuleDetails::deprecated),
    OrAbsent("provenance", &ModuleDetails::provenance),
    OrAbsent("attachments", &ModuleDetails::attachments),
    OrAbsent("versions", &ModuleDetails::versions), OrAbsent("providers", &ModuleDetails::systems),
    OrAbsent("imported", &ModuleDetails::imported));

template <>
constexpr auto kDocument<PublishedModule> = Document(
    "the publish response", Required("address", &PublishedModule::address),
    Required("version", &PublishedModule::version), Required("digest", &PublishedModule::digest),
    Optional("size", &PublishedModule::size), Optional("location", &PublishedModule::location),
    Optional("repacked", &PublishedModule::repacked),
    Optional("dry_run", &PublishedModule::dry_run),
    Optional("warnings", &PublishedModule::warnings),
    Optional("warnings_left_out", &PublishedModule::warnings_left_out),
    Optional("comparison", &PublishedModule::comparison),
    OrAbsent("semver", &PublishedModule::semver), OrAbsent("refusal", &PublishedModule::refusal),
    OrAbsent("made_namespace", &PublishedModule::made_namespace),
    OrAbsent("visibility", &PublishedModule::visibility));

template <>
constexpr auto kDocument<PublishedFolders::Published> =
    Document("the published folder", Required("folder", &PublishedFolders::Published::folder),
             OrAbsent("subfolder", &PublishedFolders::Published::subfolder),
             Optional("module", &PublishedFolders::Published::module));

template <>
constexpr auto kDocument<PublishedFolders::Failed> =
    Document("the failed folder", Required("folder", &PublishedFolders::Failed::folder),
             Required("address", &PublishedFolders::Failed::address),
             Required("version", &PublishedFolders::Failed::version),
             Required("error", &PublishedFolders::Failed::error));

template <>
constexpr auto kDocument<PublishedFolders> =
    Document("the report", Optional("published", &PublishedFolders::published),
             Optional("failed", &PublishedFolders::failed));

template <>
constexpr auto kDocument<Withdrawal> =
    Document("the request", Required("reason", &Withdrawal::reason),
             OrAbsent("successor", &Withdrawal::successor));

template <>
constexpr auto kDocument<Restore> = Document("the request", Required("reason", &Restore::reason));

std::string EncodeModuleVersions(const ModuleVersions& document) {
  json::array versions;
  for (const std::string& version : document.versions) {
    json::object element;
    element["version"] = version;
    auto time = document.discovered.find(version);
    if (time != document.discovered.end()) element["discovered"] = time->second;
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
    return FailInvalid("{}: \"modules\" is empty", kModuleVersions);
  }
  ASSIGN_OR_RETURN(const json::object* first,
                   ElementObject(kModuleVersions, modules->front(), "modules"));
  ModuleVersions out;
  ASSIGN_OR_RETURN(out.source, OptionalString(kModuleVersions, *first, "source"));
  auto read = [&out](const json::object& entry) -> Result<std::string> {
    ASSIGN_OR_RETURN(std::string version, RequiredString(kModuleVersions, entry, "version"));
    // Clients do not know it, so it must not be what fails.
    auto time = OptionalString(kModuleVersions, entry, "discovered");
    if (time && !time->empty()) out.discovered.try_emplace(version, *std::move(time));
    return version;
  };
  ASSIGN_OR_RETURN(out.versions, RequiredObjects<std::string>(kModuleVersions, *first, "versions",
                                                              std::move(read)));
  return out;
}

std::string EncodeModuleLocation(std::string_view location) {
  return EncodeText("location", location);
}
std::string EncodeDirectModuleLocation(std::string_view location) {
  boost::json::object out;
  out["location"] = boost::json::string_view(location.data(), location.size());
  out["use_registry_credentials"] = false;
  return boost::json::serialize(out);
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
template Result<ModuleDetails> Decode(std::string_view);

std::string EncodeModuleList(const ModuleList& list) {
  return EncodePage(list, "modules", list.modules);
}
Result<ModuleList> DecodeModuleList(std::string_view body) {
  return DecodePage(kModuleList, "modules", &ModuleList::modules, body);
}

KOYA_DOCUMENT(PublishedModule);
template std::string Encode(const PublishedFolders&);

KOYA_DOCUMENT(Withdrawal);

KOYA_DOCUMENT(Restore);

void AddModuleSchemas(SchemaList& list) {
  json::object details = SchemaFor(SchemaTag<ModuleDetails>());
  // What EncodeModuleDetails() puts behind them.
  for (const char* part : {"root", "submodules", "examples"}) {
    details["properties"].as_object()[part] = json::object();
  }
  list.emplace_back("ModuleDetails", std::move(details));
  AddSchema<PublishedModule>(list);
  AddShape(list, "ModuleVersions",
           "{modules: [{source: text, versions: [{version: text, discovered?: text}]}]}");
  AddShape(list, "ModuleLocation", "{location: text, use_registry_credentials?: boolean}");
  // As wire/renovate.cc writes it.
  AddShape(list, "RenovatePackage",
           "{releases: [{version: text, releaseTimestamp?: text, isDeprecated?: boolean, "
           "changelogUrl?: text, sourceUrl?: text, sourceDirectory?: text, digest?: text}], "
           "sourceUrl?: text, sourceDirectory?: text, "
           "tags?: {latest: text}}");
  AddShape(
      list, "PageMeta",
      "{limit: integer, current_offset: integer, next_offset?: integer, prev_offset?: integer, "
      "next_url?: text, prev_url?: text}");
  AddShape(list, "ModuleList", "{meta: PageMeta, modules: [ModuleDetails]}");
  AddSchema<Withdrawal>(list);
  AddShape(list, "Restore", "{reason: text}");
  // As inspect/module_json.cc writes them.
  AddShape(list, "ModuleInput",
           "{name: text, type: text, type_tree: any, default?: any, required: boolean, "
           "description: text, sensitive: boolean, nullable: boolean, ephemeral: boolean, "
           "const: boolean, deprecated: text, "
           "validations: [{condition: text, error_message: text}], hidden?: boolean, file: text, "
           "line: integer}");
  AddShape(list, "ModuleOutput",
           "{name: text, description: text, type?: text, value: text, references: [text], "
           "sensitive: boolean, "
           "ephemeral: boolean, deprecated: text, "
           "preconditions: [{condition: text, error_message: text}], hidden?: boolean, file: text, "
           "line: integer}");
  AddShape(list, "ModuleResource",
           "{address: text, mode: text, type: text, name: text, provider: text, count?: text, "
           "for_each?: text, enabled?: text, prevent_destroy?: text, "
           "create_before_destroy?: text, hidden?: boolean, file: text, line: integer}");
  AddShape(list, "ModuleFolder",
           "{path: text, empty?: boolean, readme: text, required_version: text, "
           "required_opentofu?: text, "
           "language?: text, "
           "experiments: [text], backend?: text, header?: text, "
           "inputs: [ModuleInput], outputs: [ModuleOutput], resources: [ModuleResource], "
           "required_providers: [any], module_calls: [any], providers: [any], "
           "provider_functions: [text], locals: [text], moved: [any], removed: [any], "
           "imports: [any], checks: [any]}");
  AddShape(list, "ModuleInside",
           "{reader: integer, root: ModuleFolder, submodules: [ModuleFolder], "
           "examples: [ModuleFolder], tests: [{path: text, runs: [text], mocks: [text]}], "
           "warnings: [{file: text, line: integer, text: text}], warnings_left_out?: integer, "
           "folders_left_out?: boolean, licence: {spdx: text, file: text, evidence: text}, "
           "changelog: text, changelog_file?: text, "
           "files: [{path: text, size: integer}], file_count: integer, bytes: integer}");
}

}  // namespace koya::wire
