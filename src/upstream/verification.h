// Verifies that upstream's description of a release is consistent and signed. Pure; exactly the
// checks of the clients (wire facts §3.3–§3.6), so that stored releases will pass theirs.
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

// A verified description; the package's bytes are still to be verified against `digest`.
struct VerifiedDownload {
  Digest digest = Digest::Of("");  // of the zip
  // False if a network mirror has no "zh:" hash: then `digest` is not that of a zip, and the
  // package must have one of `hashes` ("h1:…"); if there are none either, nothing is known of it.
  bool digest_known = true;
  std::vector<std::string> hashes;
  std::optional<std::uint64_t> size;  // if `packages` has it
  std::string signer;  // fingerprint of the key that signed SHA256SUMS; "": it is not signed
  // The digests of all platforms' zips that the signed SHA256SUMS names by the release's file name
  // pattern; from network mirrors, of all platforms with a digest of the zip. Pinned together on
  // first sight.
  struct Package {
    Platform platform;
    std::string filename;
    Digest digest = Digest::Of("");
  };
  std::vector<Package> packages;
  bool blank_lines = false;  // SHA256SUMS crashes clients: usable for /mirror/, not for /origin/
  std::vector<std::string> warnings;  // for the log: an expired key, a SHA-1 signature
};

// As for clients, only registry.opentofu.org may respond without keys: then its packages are
// unsigned, with a warning.
//
// Fails: kBadUpstream, naming the rule: shasum not that of SHA256SUMS, file not listed, no key, a
// key that cannot be parsed before the right one, a signature by none of the keys or over other
// bytes, a revoked key, os/arch of another platform, invalid protocols, `packages` that contradict
// the rest, no hash in a format that clients know.
Result<VerifiedDownload> VerifyDownload(const FetchedDownload& download, const HostName& host,
                                        const ProviderAddress& address, const Version& version,
                                        const Platform& platform, UnixSeconds now);

// The fingerprint of the key that signed SHA256SUMS, as VerifyDownload finds it. Reads only the
// sums, the signature and the keys of `download`. Fails: kBadUpstream, as there.
Result<std::string> FindSigner(const FetchedDownload& download, UnixSeconds now);

}  // namespace koya::upstream
