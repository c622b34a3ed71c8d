// The document that Renovate reads of a custom data source
// (docs.renovatebot.com/modules/datasource/custom): the versions of a module or provider with their
// release times. Written only.
#pragma once

#include <string>
#include <vector>

namespace koya::wire {

// Empty members are left out.
struct RenovateRelease {
  std::string version;
  std::string release_timestamp;  // RFC 3339
  bool is_deprecated = false;
  std::string changelog_url;  // absolute URLs
  std::string source_url;
  std::string source_directory;  // in that repository
  std::string digest;            // "sha256:…" of a module's archive
};

struct RenovatePackage {
  std::vector<RenovateRelease> releases;
  std::string source_url;
  std::string source_directory;
  std::string latest;  // the version under the tag "latest"
};
std::string EncodeRenovatePackage(const RenovatePackage& package);

}  // namespace koya::wire
