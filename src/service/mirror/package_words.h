// What is said of a package of another registry.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
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

// What has no signature of its author, so that clients of /origin/ could not verify it.
inline Failure WithoutSignature(const std::string& name) {
  return Fail(ErrorKind::kBadUpstream,
              fmt::format("{} was imported, or came from a network mirror, without its author's "
                          "signature: it can be served by /mirror/ only",
                          name));
}

// Whether the release can be served under a protocol whose clients verify signatures.
inline Status CheckFitForOrigin(const UpstreamRelease& release) {
  if (release.fit_for_origin && release.sums && release.signature) return {};
  std::string name = fmt::format("{} {}", release.provider.Key(), release.version.ToString());
  if (!release.signature) return WithoutSignature(name);
  return Fail(ErrorKind::kBadUpstream,
              fmt::format("the SHA256SUMS of {} holds blank lines, which crash clients: it can be "
                          "served by /mirror/ only",
                          name));
}

}  // namespace koya::service
