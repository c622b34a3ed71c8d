#include "wire/mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/provider_parts.h"
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

namespace {

namespace json = boost::json;

constexpr std::string_view kMark = "koya-mirror.json";
constexpr std::uint64_t kFormat = 1;

// Go's encoding/json escapes these too; strings here hold them in nothing but sources.
void WriteText(const json::string& text, std::string& out) {
  for (char c : json::serialize(text)) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
}

void Write(const json::value& value, std::size_t depth, std::string& out);

// "[\n  a,\n  b\n]", or "[]".
template <class Items, class WriteItem>
void WriteItems(const Items& items, char open, std::size_t depth, std::string& out,
                const WriteItem& write) {
  out += open;
  bool first = true;
  for (const auto& item : items) {
    out += first ? "\n" : ",\n";
    out.append(2 * (depth + 1), ' ');
    write(item);
    first = false;
  }
  if (!first) {
    out += '\n';
    out.append(2 * depth, ' ');
  }
  out += open == '{' ? '}' : ']';
}

void Write(const json::value& value, std::size_t depth, std::string& out) {
  if (const json::object* object = value.if_object()) {
    WriteItems(*object, '{', depth, out, [&](const json::key_value_pair& member) {
      WriteText(json::string(member.key()), out);
      out += ": ";
      Write(member.value(), depth + 1, out);
    });
  } else if (const json::array* array = value.if_array()) {
    WriteItems(*array, '[', depth, out,
               [&](const json::value& item) { Write(item, depth + 1, out); });
  } else if (const json::string* text = value.if_string()) {
    WriteText(*text, out);
  } else {
    out += json::serialize(value);
  }
}

std::string Indented(const json::value& value) {
  std::string out;
  Write(value, 0, out);
  return out;
}

}  // namespace

template <>
constexpr auto kDocument<KeysFile> =
    Document("the release's keys", Optional("gpg_public_keys", &KeysFile::keys),
             Optional("protocols", &KeysFile::protocols));

template <>
constexpr auto kDocument<ModuleFile> =
    Document("the module's document", Optional("digest", &ModuleFile::digest),
             Optional("source", &ModuleFile::source));

std::string EncodeMirrorIndexFile(std::vector<std::string> versions) {
  std::ranges::sort(versions);
  json::object listed;
  for (const std::string& version : versions) listed[version] = json::object();
  json::object out;
  out["versions"] = std::move(listed);
  return Indented(out);
}

std::string EncodeMirrorVersionFile(const MirrorVersion& document) {
  json::object archives;
  for (const auto& [platform, archive] : document.archives) {
    json::object element;
    if (!archive.hashes.empty()) {
      std::vector<std::string> hashes = archive.hashes;
      std::ranges::sort(hashes);
      element["hashes"] = StringArray(hashes);
    }
    element["url"] = archive.url;
    archives[platform] = std::move(element);
  }
  json::object out;
  out["archives"] = std::move(archives);
  return Indented(out);
}

std::string EncodeKeysFile(const KeysFile& file) { return Indented(WriteObject(file)) + "\n"; }
template Result<KeysFile> Decode(std::string_view);

std::string EncodeModuleFile(const ModuleFile& file) { return Indented(WriteObject(file)) + "\n"; }
template Result<ModuleFile> Decode(std::string_view);

std::string EncodeExportMark() {
  json::object out;
  out["format"] = kFormat;
  return Indented(out) + "\n";
}

Status CheckExportMark(std::string_view text) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kMark, text));
  ASSIGN_OR_RETURN(auto format, OptionalNumber(kMark, document, "format"));
  if (format == kFormat) return {};
  return FailInvalid("{} names a format that this version of koya does not know", kMark);
}

}  // namespace koya::wire
