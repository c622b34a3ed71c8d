// Documents in the folder that "koya mirror export" writes, besides those of the mirror protocol:
// indented like the output of the clients' "providers mirror".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/codec.h"
#include "wire/mirror.h"
#include "wire/providers.h"

namespace koya::wire {

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
