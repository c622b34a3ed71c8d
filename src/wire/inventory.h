// Documents about the mirror's stored contents: lists, and the authors' documents of a release.
// Read by the commands "koya mirror …".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"
#include "wire/providers.h"

namespace koya::wire {

// The policy's verdict on a version.
struct VersionVerdict {
  std::string verdict;  // "allow", "note", "hold", "refuse"
  std::string until;    // RFC 3339, of a hold that ends by itself; "" otherwise
  std::vector<std::string> rules;
  bool is_admitted = false;
  friend bool operator==(const VersionVerdict&, const VersionVerdict&) = default;
};

struct InventoryPackage {
  std::string platform;  // "linux_amd64"
  std::string filename;
  std::string digest;               // "sha256:…"
  std::uint64_t size = 0;           // 0: unknown
  std::vector<std::string> hashes;  // "h1:…"
  bool held = false;
  std::string used;  // RFC 3339; "" when it is not stored
  friend bool operator==(const InventoryPackage&, const InventoryPackage&) = default;
};

struct InventoryRelease {
  std::string hostname;  // ASCII form
  std::string ns;
  std::string type;
  std::string version;
  std::vector<std::string> protocols;
  bool has_signature = false;  // the author's documents are stored
  std::string seen;            // RFC 3339
  std::vector<InventoryPackage> packages;
  std::optional<VersionVerdict> verdict = {};  // in lists
  // "registry.opentofu.org/acme/demo"
  std::string Key() const { return hostname + "/" + ns + "/" + type; }
  friend bool operator==(const InventoryRelease&, const InventoryRelease&) = default;
};

struct InventoryModule {
  std::string hostname;
  std::string ns;
  std::string name;
  std::string system;
  std::string version;
  std::string kind;    // "tar.gz" or "zip"
  std::string digest;  // "sha256:…"
  std::uint64_t size = 0;
  std::string source;
  bool held = false;
  std::string seen;
  std::string used;
  std::optional<VersionVerdict> verdict = {};  // in lists
  std::string Key() const { return hostname + "/" + ns + "/" + name + "/" + system; }
  friend bool operator==(const InventoryModule&, const InventoryModule&) = default;
};

// The history of the keys of a namespace of another registry.
struct SignedRelease {
  std::string type;
  std::string version;
  std::string seen;  // RFC 3339
};
struct NamespaceSigner {
  std::string fingerprint;  // "": no signature, or a key that was not recorded
  bool has_signature = false;
  bool is_known = false;  // it signed an admitted release
  std::uint64_t releases = 0;
  std::string first_seen;
  std::string last_seen;
  std::vector<SignedRelease> newest;
};
struct NamespaceSigners {
  std::string hostname;
  std::string ns;
  std::vector<NamespaceSigner> keys;
};

// A page. `next`: the parameter for the next page, "" at the end.
struct InventoryReleases {
  std::vector<InventoryRelease> releases;
  std::string next;
};
struct InventoryModules {
  std::vector<InventoryModule> modules;
  std::string next;
};

// Both lists as one complete document.
std::string EncodeInventory(const InventoryReleases& releases, const InventoryModules& modules);

// A release's documents. Bytes are hexadecimal digits, so that none is lost.
struct ReleaseDocuments {
  std::vector<std::string> protocols;
  std::string shasums;
  std::string signature;
  std::vector<SigningKey> keys;
  friend bool operator==(const ReleaseDocuments&, const ReleaseDocuments&) = default;
};
template <>
std::string Encode(const ReleaseDocuments& documents);
template <>
Result<ReleaseDocuments> Decode(std::string_view body);

// ---- endpoints

inline constexpr Endpoint<void, InventoryReleases> kListMirroredReleases{
    "GET", "/api/v1/mirror/providers"};
inline constexpr Endpoint<void, ReleaseDocuments, 4> kGetReleaseDocuments{
    "GET", "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release"};
inline constexpr Endpoint<void, NamespaceSigners, 2> kListNamespaceSigners{
    "GET", "/api/v1/mirror/keys/{hostname}/{namespace}"};
inline constexpr Endpoint<void, void, 6> kReleasePackage{
    "DELETE", "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}"};
inline constexpr Endpoint<void, InventoryModules> kListMirroredModules{"GET",
                                                                       "/api/v1/mirror/modules"};
inline constexpr Endpoint<void, Bytes, 5> kGetMirroredModule{
    "GET", "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}"};
inline constexpr Endpoint<void, void, 5> kReleaseModule{
    "DELETE", "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}"};
inline constexpr Endpoint<ReleaseDocuments, InventoryRelease, 4> kImportDocuments{
    "PUT", "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release"};
inline constexpr Endpoint<Bytes, InventoryPackage, 6> kImportPackage{
    "PUT", "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}"};
inline constexpr Endpoint<Bytes, InventoryModule, 5> kImportModule{
    "PUT", "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}"};

}  // namespace koya::wire
