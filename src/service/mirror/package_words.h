// Holds names and error messages for packages of other registries.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/upstream_record.h"

namespace koya::service {

inline std::string NameOf(const UpstreamRelease& release, const UpstreamPackage& package) {
  return fmt::format("{} {} {}", release.provider.Key(), release.version.ToString(),
                     package.platform.ToString());
}

// Names the package of a release that may not be known yet.
inline std::string PackageKey(const UpstreamProvider& provider, const Version& version,
                              const Platform& platform) {
  return fmt::format("{}@{}/{}", provider.Key(), version.ToString(), platform.ToString());
}

inline Failure Changed(const std::string& name, const Digest& first, std::string_view now) {
  return FailBadUpstream(
      "{} has changed upstream: SHA-256 {} was seen first, upstream now "
      "reports {}; the first one stays, and nothing else is served",
      name, first.hex(), now);
}

// The error for a release without its author's signature, which clients of /origin/ could not
// verify.
inline Failure WithoutSignature(const std::string& name) {
  return FailBadUpstream(
      "{} was imported, or came from a network mirror, without its author's "
      "signature: only /mirror/ can serve it",
      name);
}

// Checks that the release can be served by /origin/, whose clients verify signatures.
inline Status CheckFitForOrigin(const UpstreamRelease& release) {
  if (release.fit_for_origin && release.sums && release.signature) return {};
  std::string name = fmt::format("{} {}", release.provider.Key(), release.version.ToString());
  if (!release.signature) return WithoutSignature(name);
  return FailBadUpstream(
      "the SHA256SUMS of {} contains blank lines, which crash clients: only "
      "/mirror/ can serve it",
      name);
}

}  // namespace koya::service
