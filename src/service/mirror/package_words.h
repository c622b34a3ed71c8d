// What is said of a package of another registry.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "domain/upstream_record.h"

namespace koya::service {

inline std::string NameOf(const UpstreamRelease& release, const UpstreamPackage& package) {
  return fmt::format("{} {} {}", release.provider.Key(), release.version.ToString(),
                     package.platform.ToString());
}

inline Failure Changed(const std::string& name, const Digest& first, std::string_view now) {
  return Fail(ErrorKind::kBadUpstream,
              fmt::format("{} is not what it was: SHA-256 {} was seen first, upstream now says {}; "
                          "the first is kept, and nothing else is served",
                          name, first.hex(), now));
}

}  // namespace koya::service
