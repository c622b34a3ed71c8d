// Stored records of other registries: documents as they were answered, and the facts that were
// first seen of every release, permanently. Plain records of well-formed values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/archive_kind.h"
#include "domain/attachment.h"
#include "domain/digest.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/release_times.h"
#include "domain/source_repository.h"
#include "domain/version.h"

namespace koya {

// A provider of another registry: "registry.opentofu.org/hashicorp/aws".
struct UpstreamProvider {
  HostName host;
  ProviderAddress address;
  // "registry.opentofu.org/hashicorp/aws", the host in its ASCII form.
  std::string Key() const { return host.ascii() + "/" + address.ToString(); }
  friend bool operator==(const UpstreamProvider&, const UpstreamProvider&) = default;
};

// A module of another registry. Its key folds letter case, as the module's own does.
struct UpstreamModule {
  HostName host;
  ModuleAddress address;
  std::string Key() const { return host.ascii() + "/" + address.Key(); }
  friend bool operator==(const UpstreamModule&, const UpstreamModule&) = default;
};

// A document that changes upstream (a list of versions), as last seen.
struct CachedDocument {
  std::string key;   // "provider-versions:HOST/NS/TYPE", "module-versions:HOST/NS/NAME/SYSTEM"
  std::string body;  // this server's own encoding of the parsed document
  std::string etag;  // upstream's validators; may be empty
  std::string last_modified;
  UnixSeconds checked_at = 0;  // when upstream last confirmed it
  UnixSeconds changed_at = 0;  // when `body` last changed
  ReleaseTimes times = {};     // of a list of versions
  // Likewise: as details of a version stated it last; nullopt: none did.
  std::optional<SourceRepository> source = {};
};

// One platform's zip of an upstream release. `digest` is the one first seen: it never changes.
struct UpstreamPackage {
  Platform platform;
  std::string filename;
  Digest digest;
  std::uint64_t size = 0;  // 0: not known yet
  // Further hashes ("h1:…"): computed here when the bytes are stored, else as upstream reports
  // them.
  std::vector<std::string> hashes;
  bool held = false;  // the bytes are in the blob store
  UnixSeconds used_at = 0;
  friend bool operator==(const UpstreamPackage&, const UpstreamPackage&) = default;
};

// An attachment of an upstream release. `file` is the one first seen: it never changes.
struct UpstreamAttachment {
  Attachment file;
  Platform platform;  // whose description named it first
  friend bool operator==(const UpstreamAttachment&, const UpstreamAttachment&) = default;
};

struct UpstreamRelease {
  UpstreamProvider provider;
  Version version;
  std::vector<std::string> protocols;  // as upstream reports; may be empty
  // The author's SHA256SUMS and signature, byte for byte; nullopt for releases that were imported
  // or came from a network mirror.
  std::optional<ReleaseDocument> sums;
  std::optional<ReleaseDocument> signature;
  std::string keys;             // the keys' JSON from upstream, unchanged; "" without a signature
  bool fit_for_origin = false;  // may be served again under the registry protocol
  std::vector<UpstreamPackage> packages;  // by platform
  UnixSeconds seen_at = 0;                // first
  // The fingerprint (upper-case hex) of the key that signed SHA256SUMS; "": not signed, or not
  // known.
  std::string signer = {};
  // By name. Their bytes are in the blob store.
  std::vector<UpstreamAttachment> attachments = {};
  friend bool operator==(const UpstreamRelease&, const UpstreamRelease&) = default;
};

// A module version of another registry, converted to an archive with the module at its root.
struct UpstreamModuleVersion {
  UpstreamModule module;
  Version version;
  ArchiveKind kind = ArchiveKind::kTarGz;
  Digest digest;  // of the archive that is served; the one first seen
  std::uint64_t size = 0;
  std::string source;  // its origin, for display; without credentials
  bool held = false;
  UnixSeconds seen_at = 0;
  UnixSeconds used_at = 0;
  friend bool operator==(const UpstreamModuleVersion&, const UpstreamModuleVersion&) = default;
};

// A provider or a module of another registry with pinned versions, all together, for display in
// lists.
struct UpstreamSummary {
  HostName host;
  std::string address;           // "hashicorp/aws", "acme/vpc/aws"
  std::uint64_t versions = 0;    // pinned
  std::uint64_t held = 0;        // archives whose bytes are stored
  std::uint64_t held_bytes = 0;  // of them
  std::string last_version;      // pinned last; not necessarily the newest
  UnixSeconds last_seen_at = 0;  // when that was pinned
  UnixSeconds checked_at = 0;    // when its list of versions was confirmed last; 0: never
  friend bool operator==(const UpstreamSummary&, const UpstreamSummary&) = default;
};

// Selects entries of a list. Empty fields do not restrict; letter case is ignored.
struct UpstreamFilter {
  std::string query;                          // each word occurs in "HOST/ADDRESS"
  std::optional<UnixSeconds> checked_since;   // the list was confirmed then, or later
  std::optional<UnixSeconds> checked_before;  // earlier, or never
};

// Numbers of providers and modules.
struct UpstreamCounts {
  std::uint64_t providers = 0;
  std::uint64_t modules = 0;
  friend bool operator==(const UpstreamCounts&, const UpstreamCounts&) = default;
};

// Selects stored bytes to evict.
struct EvictionRule {
  std::uint64_t max_bytes = 0;  // so much may stay
  // Registries from which evicted bytes can be fetched again. Bytes that any other registry holds
  // were imported, cannot be fetched again, and stay, even if one of these registries has the same
  // bytes.
  std::vector<HostName> hosts;
  std::chrono::seconds unused_for{0};  // bytes used within this time stay
  std::uint64_t most_blobs = 50;       // in one run
};

// Bytes that were evicted.
struct EvictedBlob {
  Digest digest;
  std::uint64_t size = 0;
};

}  // namespace koya
