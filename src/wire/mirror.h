// Documents of the provider network mirror protocol.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

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

}  // namespace koya::wire
