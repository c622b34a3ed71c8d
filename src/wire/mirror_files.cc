#include "wire/mirror_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wire/json_writer.h"
#include "wire/provider_parts.h"

namespace koya::wire {
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
