// Is what upstream says of a release consistent, and signed? Pure; exactly the checks of the
// clients (wire facts §3.3–§3.6), so that what is kept here will pass theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "domain/digest.h"
#include "domain/platform.h"

namespace koya {
class HostName;
class ProviderAddress;
class Version;
}  // namespace koya

namespace koya::upstream {

struct FetchedDownload;

// A verified description; the package's bytes are still to be held against `digest`.
struct VerifiedDownload {
  Digest digest = Digest::Of("");  // of the zip
  // False when a network mirror says no "zh:" hash: then `digest` is no zip's, and the package must
  // have one of `hashes` ("h1:…"); when there are none either, nothing is known of it.
  bool digest_known = true;
  std::vector<std::string> hashes;
  std::optional<std::uint64_t> size;  // when `packages` says it
  // Every platform's zip that the signed SHA256SUMS names by the release's file name pattern: its
  // digest; from network mirrors, every platform's of which they say the zip's. Pinned on first
  // sight, all together.
  struct Package {
    Platform platform;
    std::string filename;
    Digest digest = Digest::Of("");
  };
  std::vector<Package> packages;
  bool blank_lines = false;  // SHA256SUMS crashes clients: fit for /mirror/, not for /origin/
  std::vector<std::string> warnings;  // for the log: an expired key, a SHA-1 signature
};

// As for the clients, only
// registry.opentofu.org may answer without keys: its packages then go unsigned, with a warning.
//
// Fails: kBadUpstream, naming the rule: shasum not that of SHA256SUMS, file not listed, no key, a
// key that cannot be parsed before the right one, a signature by none of the keys or over other
// bytes, a revoked key, os/arch of another platform, protocols that are none,
// `packages` that contradict the rest, hashes of which no client knows one.
Result<VerifiedDownload> VerifyDownload(const FetchedDownload& download, const HostName& host,
                                        const ProviderAddress& address, const Version& version,
                                        const Platform& platform, UnixSeconds now);

}  // namespace koya::upstream
