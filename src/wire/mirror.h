// Documents of the provider network mirror protocol.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"
#include "wire/providers.h"

namespace koya::wire {

// GET …/:hostname/:namespace/:type/index.json: {"versions": {"1.0.0": {}}}.
std::string EncodeMirrorIndex(const std::vector<std::string>& versions);
// The versions as spelled, in the document's order; they are not checked here, as clients skip
// invalid ones. Fails: kInvalid when a client could not decode it.
Result<std::vector<std::string>> DecodeMirrorIndex(std::string_view body);

struct MirrorArchive {
  std::string url;                  // absolute, or relative to the document's final URL
  std::vector<std::string> hashes;  // "h1:…", "zh:…"; omitted when empty
  friend bool operator==(const MirrorArchive&, const MirrorArchive&) = default;
};

// GET …/:version.json: {"archives": {"linux_amd64": {"url": …, "hashes": […]}}}.
struct MirrorVersion {
  std::map<std::string, MirrorArchive> archives;  // by "os_arch"
  friend bool operator==(const MirrorVersion&, const MirrorVersion&) = default;
};
std::string EncodeMirrorVersion(const MirrorVersion& document);
// Fails: kInvalid when a client could not decode it, or would crash: an archive is null.
Result<MirrorVersion> DecodeMirrorVersion(std::string_view body);

// ---- documents in the folder that "koya mirror export" writes, besides those of the protocol:
// indented like the output of the clients' "providers mirror"

// index.json and VERSION.json in the format of "providers mirror": indented by two blanks, members
// and hashes sorted.
std::string EncodeMirrorIndexFile(std::vector<std::string> versions);
std::string EncodeMirrorVersionFile(const MirrorVersion& document);

// …_keys.json: the keys that verified SHA256SUMS, and the protocols, which no other file contains.
struct KeysFile {
  std::vector<std::string> protocols;
  std::vector<SigningKey> keys;
  friend bool operator==(const KeysFile&, const KeysFile&) = default;
};
std::string EncodeKeysFile(const KeysFile& file);

// VERSION.json beside a module's archive.
struct ModuleFile {
  std::string digest;  // "sha256:…"
  std::string source;
  friend bool operator==(const ModuleFile&, const ModuleFile&) = default;
};
std::string EncodeModuleFile(const ModuleFile& file);

// koya-mirror.json, at the root: marks the folder as an export.
std::string EncodeExportMark();
Status CheckExportMark(std::string_view text);

}  // namespace koya::wire
