// Providers of other registries, from the registry or from a network mirror, and their docs.
// Interfaces and result types; see registry_source.h, mirror_source.h and registry_docs.h.
//
// Every function blocks, at most for the time that its options and the caller's Deadline allow, and
// is meant for a worker pool; sources are thread-safe. Failures, in addition to those named at a
// function (contract, "what a client sees when upstream is in trouble"): kNotFound (404, 410, no
// such service), kBadUpstream (401, 403, 5xx after the retry, a document that cannot be used, an
// address that may not be connected to), kUpstreamTimeout, kUnavailable (429 and an open circuit
// breaker, with Error::retry_after; or cancelled). Messages name the host and never a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_sink.h"
#include "base/result.h"
#include "upstream/deadline.h"
#include "wire/foreign/foreign_docs.h"
#include "wire/foreign/foreign_versions.h"
#include "wire/providers.h"

namespace koya {
class HostName;
class Platform;
class ProviderAddress;
class Version;
}  // namespace koya

namespace koya::upstream {

// The validators of a document, to check later whether it changed. Empty if upstream sent none.
struct Validators {
  std::string etag;
  std::string last_modified;
  friend bool operator==(const Validators&, const Validators&) = default;
};

// A document, or the information that the stored one is still current.
struct FetchedVersions {
  bool unchanged = false;  // 304: `document` is empty
  // Versions that no client would accept (not canonical SemVer, numbers ≥ 2^63, duplicates) are
  // left out and counted; the rest is unchanged.
  wire::ProviderVersions document;
  std::size_t skipped = 0;
  Validators validators;
};

// One platform's package of a release, as upstream describes it.
struct FetchedDownload {
  std::vector<std::string> protocols;
  std::string os;    // from the document; from mirrors, the requested one
  std::string arch;  // likewise
  std::string filename;
  std::string shasum;        // 64 lower-case hex digits; "" if a mirror does not provide it
  std::string download_url;  // absolute https; "" if a mirror lacks only this platform
  // Only from registries, else empty: byte for byte.
  std::string sums;
  std::string signature;
  std::vector<wire::SigningKey> keys;
  std::map<std::string, wire::PackageHashes> packages;
  std::vector<wire::ForeignAttachment> attachments = {};  // with absolute URLs
  std::string attachments_dropped = {};  // why some of the document's are left out; "": none are
  // Only from network mirrors: the package's hashes.
  bool from_mirror = false;  // then there is no signature
  std::vector<std::string> hashes;
};

// Of an archive, or of an attachment.
struct ArchiveTransfer {
  std::string url;
  std::string what = "the archive";  // for messages
  std::uint64_t max_bytes = 1ULL << 30;
  LimitName max_bytes_name = "limits.provider_zip_bytes";  // the setting behind max_bytes
  // Called once, before the first byte, with the length that upstream announced, if it did.
  std::function<Status(std::optional<std::uint64_t> length)> on_start = {};
  ByteSink sink;
  Deadline patience = {};
  LimitName time_name = "upstream.archive_timeout";  // the limit behind the deadline
};

class ProviderSource {
 public:
  virtual ~ProviderSource() = default;

  virtual Result<FetchedVersions> Versions(const HostName& host, const ProviderAddress& address,
                                           const Validators& held, const Deadline& patience) = 0;
  // Fetches the download document, and from registries SHA256SUMS and its signature too. Nothing is
  // verified yet: see verification.h.
  virtual Result<FetchedDownload> Download(const HostName& host, const ProviderAddress& address,
                                           const Version& version, const Platform& platform,
                                           const Deadline& patience) = 0;
  // Returns what the registry's details of the version state. Fails with kNotFound where there are
  // no details.
  virtual Result<wire::ForeignDetails> Details(const HostName& host, const ProviderAddress& address,
                                               const Version& version,
                                               const Deadline& patience) = 0;
  // Sends no credentials. Does not resume a transfer that was cut off. Fails: as above, but never
  // kNotFound: if the archive of an existing release is missing, that is upstream's fault,
  // kBadUpstream, as when it is shorter or longer than announced; kTooLarge over max_bytes.
  virtual Status FetchArchive(const ArchiveTransfer& transfer) = 0;
};

// The list of a version's pages, or the information that the stored one is still current.
struct FetchedDocs {
  bool unchanged = false;  // 304: `list` is empty
  wire::ForeignDocs list;
  Validators validators;
};

// Docs of other registries' providers.
class DocsSource {
 public:
  virtual ~DocsSource() = default;

  // The host that has docs for providers of `registry`; nullopt: the registry has no known docs
  // API.
  virtual std::optional<HostName> HostOf(const HostName& registry) const = 0;

  // Both REQUIRE that HostOf() has a value. Fails: kNotFound if the registry has no such version,
  // or no docs of it.
  virtual Result<FetchedDocs> List(const HostName& registry, const ProviderAddress& address,
                                   const Version& version, const Validators& held,
                                   const Deadline& patience) = 0;
  // A page in its list, as its author wrote it: UTF-8. Fails: kNotFound if the registry no longer
  // has it; kBadUpstream also for a page beyond the size limit.
  virtual Result<std::string> Page(const HostName& registry, const ProviderAddress& address,
                                   const Version& version, const wire::ForeignDoc& page,
                                   const Deadline& patience) = 0;
};

}  // namespace koya::upstream
