// Where other people's providers come from: a registry, or a network mirror. Interface and the
// values that it yields; see registry_source.h and mirror_source.h.
//
// Every function blocks, at most for the time that its options and the caller's Patience say, and
// is meant for a worker pool; sources are thread-safe. Failures, besides what a function names
// (contract, "what a client sees when upstream is in trouble"): kNotFound (404, 410, no such
// service), kBadUpstream (401, 403, 5xx after the retry, a document that cannot be used, an address
// that may not be connected to), kUpstreamTimeout, kUnavailable (429 and an open breaker, with
// Error::retry_after; given up). Messages name the host and never a token.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_sink.h"
#include "base/result.h"
#include "upstream/patience.h"
#include "wire/providers.h"

namespace koya {
class HostName;
class Platform;
class ProviderAddress;
class Version;
}  // namespace koya

namespace koya::upstream {

// What a document was answered with, to ask again whether it changed. Empty when upstream gave
// none.
struct Validators {
  std::string etag;
  std::string last_modified;
  friend bool operator==(const Validators&, const Validators&) = default;
};

// A document, or word that the one held is still the one.
struct FetchedVersions {
  bool unchanged = false;  // 304: `document` is empty
  // Versions that no client would take (not canonical SemVer, numbers ≥ 2^63, said twice) are left
  // out and counted; the rest is as upstream has it.
  wire::ProviderVersions document;
  std::size_t skipped = 0;
  Validators validators;
};

// One platform's package of a release, as upstream describes it.
struct FetchedDownload {
  std::vector<std::string> protocols;
  std::string os;    // as the document says; from mirrors, as it was asked for
  std::string arch;  // likewise
  std::string filename;
  std::string shasum;        // 64 lower-case hex digits; "" when a mirror does not say
  std::string download_url;  // absolute https; "" when a mirror lacks just this platform
  // Only from registries, else empty: byte for byte.
  std::string sums;
  std::string signature;
  std::vector<wire::SigningKey> keys;
  std::map<std::string, wire::PackageHashes> packages;
  // Only from network mirrors: what it says the package's hashes are.
  bool from_mirror = false;  // then nobody signed anything
  std::vector<std::string> hashes;
};

struct ArchiveTransfer {
  std::string url;
  std::uint64_t max_bytes = 1ULL << 30;
  LimitName max_bytes_name = "limits.provider_zip_bytes";  // the setting behind max_bytes
  // Told once, before the first byte: the length that upstream announced, if it did.
  std::function<Status(std::optional<std::uint64_t> length)> on_start = {};
  ByteSink sink;
  Patience patience = {};
  LimitName time_name = "upstream.archive_timeout";  // what ends when patience does
};

class ProviderSource {
 public:
  virtual ~ProviderSource() = default;

  virtual Result<FetchedVersions> Versions(const HostName& host, const ProviderAddress& address,
                                           const Validators& held, const Patience& patience) = 0;
  // Fetches the download document, and from registries SHA256SUMS and its signature too. Nothing is
  // verified yet: see verification.h.
  virtual Result<FetchedDownload> Download(const HostName& host, const ProviderAddress& address,
                                           const Version& version, const Platform& platform,
                                           const Patience& patience) = 0;
  // Sends no credentials. A transfer that was cut off is not resumed. Fails: as above, but never
  // kNotFound: the archive of a release that is there is missing by upstream's fault, kBadUpstream,
  // as it is when it is shorter or longer than announced; kTooLarge over max_bytes.
  virtual Status FetchArchive(const ArchiveTransfer& transfer) = 0;
};

}  // namespace koya::upstream
