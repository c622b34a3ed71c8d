#include "wire/mirror.h"

#include "wire/json_reader.h"
#include "wire/schema.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kIndex = "the mirror's index";
constexpr std::string_view kVersion = "the mirror's version document";

// The member `key`, which must be an object; absent and null give an empty one.
Result<json::object> OptionalObject(std::string_view what, const json::object& document,
                                    std::string_view key) {
  const json::value* member = document.if_contains(key);
  if (member == nullptr || member->is_null()) return json::object();
  if (member->is_object()) return member->get_object();
  return FailInvalid("{}: \"{}\" must be an object", what, key);
}

}  // namespace

std::string EncodeMirrorIndex(const std::vector<std::string>& versions) {
  json::object listed;
  for (const std::string& version : versions) listed[version] = json::object();
  json::object out;
  out["versions"] = std::move(listed);
  return json::serialize(out);
}

Result<std::vector<std::string>> DecodeMirrorIndex(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kIndex, body, {.storage = kForeignStorage}));
  ASSIGN_OR_RETURN(json::object listed, OptionalObject(kIndex, document, "versions"));
  std::vector<std::string> versions;
  for (const auto& [version, details] : listed) {
    if (!details.is_object() && !details.is_null()) {
      return FailInvalid("{}: each version must be an object", kIndex);
    }
    versions.emplace_back(version);
  }
  return versions;
}

std::string EncodeMirrorVersion(const MirrorVersion& document) {
  json::object archives;
  for (const auto& [platform, archive] : document.archives) {
    json::object element;
    element["url"] = archive.url;
    if (!archive.hashes.empty()) {
      element["hashes"] = json::array(archive.hashes.begin(), archive.hashes.end());
    }
    archives[platform] = std::move(element);
  }
  json::object out;
  out["archives"] = std::move(archives);
  return json::serialize(out);
}

Result<MirrorVersion> DecodeMirrorVersion(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document,
                   ParseObject(kVersion, body, {.storage = kForeignStorage}));
  ASSIGN_OR_RETURN(json::object archives, OptionalObject(kVersion, document, "archives"));
  MirrorVersion out;
  for (const auto& [platform, value] : archives) {
    ASSIGN_OR_RETURN(const json::object* element, ElementObject(kVersion, value, "archives"));
    MirrorArchive archive;
    ASSIGN_OR_RETURN(archive.url, RequiredString(kVersion, *element, "url"));
    ASSIGN_OR_RETURN(archive.hashes, OptionalStrings(kVersion, *element, "hashes"));
    out.archives.emplace(platform, std::move(archive));
  }
  return out;
}

void AddMirrorSchemas(SchemaList& list) {
  AddShape(list, "MirrorIndex", "{versions: {*: any}}");
  AddShape(list, "MirrorVersion", "{archives: {*: {url: text, hashes?: [text]}}}");
}

}  // namespace koya::wire
