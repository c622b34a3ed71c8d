// Documents of the provider registry protocol, and of the extended provider API that tools read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/digest.h"
#include "wire/attachment.h"
#include "wire/endpoint.h"

namespace koya::wire {

struct PlatformName {
  std::string os;
  std::string arch;
  friend bool operator==(const PlatformName&, const PlatformName&) = default;
};

// GET …/:namespace/:type/versions. Platforms are for tools; clients ignore them.
struct ProviderVersion {
  std::string version;
  std::vector<std::string> protocols;
  std::vector<PlatformName> platforms;
  std::string discovered = {};  // the release time, RFC 3339; omitted when not known
  friend bool operator==(const ProviderVersion&, const ProviderVersion&) = default;
};
// Decode checks and normalises nothing; it fails when a client could not decode the document.
struct ProviderVersions {
  std::string id;  // "acme/demo"; written when not empty
  std::vector<ProviderVersion> versions;
  std::vector<std::string> warnings;  // shown by clients; omitted when empty
  friend bool operator==(const ProviderVersions&, const ProviderVersions&) = default;
};

// GET …/:version/download/:os/:arch.
struct PackageHashes {
  std::vector<std::string> hashes;  // "zh:…", "h1:…"
  std::uint64_t package_size = 0;
  friend bool operator==(const PackageHashes&, const PackageHashes&) = default;
};
struct SigningKey {
  std::string key_id;
  std::string ascii_armor;
  std::string trust_signature;
  std::string source;
  std::string source_url;
  friend bool operator==(const SigningKey&, const SigningKey&) = default;
};
struct ProviderDownload {
  std::vector<std::string> protocols;
  std::string os;
  std::string arch;
  std::string filename;
  std::string download_url;
  std::string shasums_url;
  std::string shasums_signature_url;
  std::string shasum;  // 64 hex digits
  std::vector<SigningKey> keys;
  std::map<std::string, PackageHashes> packages;  // by "os_arch"; omitted when empty
  std::vector<Attachment> attachments = {};       // omitted when empty, and not decoded
  friend bool operator==(const ProviderDownload&, const ProviderDownload&) = default;
};
std::string EncodeProviderDownload(const ProviderDownload& document);
// Only the keys, {"gpg_public_keys": […]}: the stored form of another registry's keys.
std::string EncodeSigningKeys(const std::vector<SigningKey>& keys);
Result<std::vector<SigningKey>> DecodeSigningKeys(std::string_view text);

// An attachment as another registry's document names it.
struct ForeignAttachment {
  std::string name;              // an attachment's (domain/attachment.h)
  std::string url;               // "url", else "download_url", as it stands there; not empty
  std::optional<Digest> sha256;  // nullopt: it states none
  friend bool operator==(const ForeignAttachment&, const ForeignAttachment&) = default;
};

// Fails: kInvalid when no client could use it: it cannot be decoded, or a member that every
// installation needs is missing.
Result<ProviderDownload> DecodeProviderDownload(std::string_view body);

// The same, with its attachments, each name once. No client needs them: those that cannot be used
// are left out, and `attachments_dropped` says why; "": there are none of these.
struct ForeignDownload {
  ProviderDownload document;
  std::vector<ForeignAttachment> attachments;
  std::string attachments_dropped;
};
Result<ForeignDownload> DecodeForeignDownload(std::string_view body);

// One provider version in the extended API.
struct ProviderDetails {
  std::string ns;
  std::string type;  // "name" and "alias" on the wire
  std::string version;
  std::string owner;
  std::string source;        // as of ModuleDetails
  std::string published_at;  // RFC 3339
  std::string deprecation;   // "warning" on the wire, null when ""
  bool deprecated = false;   // as of ModuleDetails
  std::vector<std::string> protocols;
  std::vector<PlatformName> platforms;
  std::string shasums_digest;         // "sha256:…" of SHA256SUMS; in a single provider's details
  std::string key_fingerprint;        // of the key that signed it; likewise
  std::vector<std::string> versions;  // all, newest first; likewise
  // Claims of the CI identity that published it, by name; empty without one, and omitted then.
  std::map<std::string, std::string> provenance = {};
  std::vector<Attachment> attachments = {};  // as of ModuleDetails
  std::string visibility = {};               // the same
  std::string source_url = {};               // the same
  friend bool operator==(const ProviderDetails&, const ProviderDetails&) = default;
};

// A page of providers.
struct ProviderList {
  std::uint64_t limit = 0;
  std::uint64_t current_offset = 0;
  std::optional<std::uint64_t> next_offset;
  std::optional<std::uint64_t> prev_offset;
  std::string next_url;  // "" when there is none
  std::string prev_url;
  std::vector<ProviderDetails> providers;
  friend bool operator==(const ProviderList&, const ProviderList&) = default;
};
std::string EncodeProviderList(const ProviderList& list);
Result<ProviderList> DecodeProviderList(std::string_view body);

// terraform-provider-…_manifest.json, in the format of GoReleaser templates:
// {"version": 1, "metadata": {"protocol_versions": ["6.0"]}}. Returns the protocol versions as
// spelled. Fails: kInvalid, also for another "version".
Result<std::vector<std::string>> DecodeProviderManifest(std::string_view body);

}  // namespace koya::wire
