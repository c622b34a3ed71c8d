// Documents of /api/v1/providers and of /api/v1/namespaces/:namespace/keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/comparison.h"
#include "wire/endpoint.h"
#include "wire/provider_docs.h"

namespace koya::wire {

// An uploaded file of a draft.
struct DraftFile {
  std::string name;
  std::string digest;  // "sha256:…"
  std::uint64_t size = 0;
  std::vector<std::string> problems;  // why a commit would reject it, as far as known
  friend bool operator==(const DraftFile&, const DraftFile&) = default;
};

// Body of the request that creates a draft; an empty body means the defaults.
struct DraftRequest {
  std::string upload;  // the publisher's name for the files that go into the draft
  friend bool operator==(const DraftRequest&, const DraftRequest&) = default;
};

struct Draft {
  std::string id;
  std::string address;  // "acme/demo"
  std::string version;
  std::string created;  // RFC 3339
  std::string expires;  // RFC 3339
  std::string upload;   // as in DraftRequest
  std::vector<DraftFile> files;
  friend bool operator==(const Draft&, const Draft&) = default;
};
// Written without the drafts' files.
using DraftList = ListOf<Draft, "drafts", "the list of drafts">;
template <>
std::string Encode(const DraftList& list);

// Body of a commit; an empty body means the defaults.
struct CommitRequest {
  bool sign = false;                          // the server writes and signs SHA256SUMS
  std::vector<std::string> protocols;         // empty: the manifest's, otherwise "5.0"
  std::string source_url = {};                // of the release's repository; "": not stated
  std::vector<std::string> attachments = {};  // names of the draft's files that are attachments
  // Of an import: the address at the other registry, the digest of its SHA256SUMS ("sha256:…") and
  // its time there (RFC 3339; "": not stated). "": no import.
  std::string imported_from = {};
  std::string imported_digest = {};
  std::string published_at = {};
  friend bool operator==(const CommitRequest&, const CommitRequest&) = default;
};

// The response to a commit.
struct PublishedPackage {
  std::string platform;  // "linux_amd64"
  std::string filename;
  std::string digest;  // "sha256:…"
  std::uint64_t size = 0;
  std::vector<std::string> hashes;  // "zh:…", "h1:…"
  friend bool operator==(const PublishedPackage&, const PublishedPackage&) = default;
};
struct PublishedProvider {
  std::string address;  // "acme/demo"
  std::string version;
  std::string source;  // "registry.example.com/acme/demo"
  std::vector<std::string> protocols;
  std::string shasums_digest;   // "sha256:…"
  std::string key_fingerprint;  // of the key that signed
  std::vector<PublishedPackage> packages;
  // Unreadable parts of docs and schema, and what some clients reject.
  std::vector<ReadWarning> warnings;
  bool dry_run = false;  // nothing was stored
  // Comparison with the previous release; nothing: there is none, none is wanted, or it failed.
  std::optional<Comparison> comparison;
  std::string semver;               // the rule for its number, "warn"; "" without a comparison
  std::string made_namespace = {};  // as PublishedModule::made_namespace
  std::string visibility = {};      // the same
  friend bool operator==(const PublishedProvider&, const PublishedProvider&) = default;
};

// Body of PUT …/:version/deprecation.
struct Deprecation {
  std::string message;  // must be given; "" removes a deprecation
  friend bool operator==(const Deprecation&, const Deprecation&) = default;
};
template <>
Result<Deprecation> Decode(std::string_view body);

// A namespace's key as responses show it.
struct NamespaceKey {
  std::string key_id;
  std::string fingerprint;
  std::vector<std::string> user_ids;
  std::string algorithm;
  std::string created;  // RFC 3339
  std::string expires;  // RFC 3339; "" = never, null on the wire
  bool expired = false;
  std::string added;  // RFC 3339
  std::string added_by;
  std::string removed;       // RFC 3339; "" = in use, null on the wire
  bool server_made = false;  // this server signs with it (--sign)
  std::string ascii_armor;
  friend bool operator==(const NamespaceKey&, const NamespaceKey&) = default;
};
using KeyList = ListOf<NamespaceKey, "keys", "the list of keys">;

// ---- endpoints

struct Restore;     // wire/modules.h
struct Withdrawal;  // wire/modules.h

inline constexpr Endpoint<DraftRequest, Draft, 3> kOpenDraft{
    "POST", "/api/v1/providers/{namespace}/{type}/{version}/drafts"};
inline constexpr Endpoint<void, DraftList, 3> kListDrafts{
    "GET", "/api/v1/providers/{namespace}/{type}/{version}/drafts"};
inline constexpr Endpoint<void, Draft, 4> kShowDraft{
    "GET", "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}"};
inline constexpr Endpoint<Bytes, DraftFile, 5> kUploadDraftFile{
    "PUT", "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/files/{file}"};
inline constexpr Endpoint<CommitRequest, PublishedProvider, 4> kCommitDraft{
    "POST", "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/commit"};
inline constexpr Endpoint<CommitRequest, PublishedProvider, 4> kCheckDraft{
    "POST", "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/check"};
inline constexpr Endpoint<void, void, 4> kAbandonDraft{
    "DELETE", "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}"};
inline constexpr Endpoint<Deprecation, void, 3> kDeprecateProvider{
    "PUT", "/api/v1/providers/{namespace}/{type}/{version}/deprecation"};
inline constexpr Endpoint<Withdrawal, void, 3> kWithdrawProvider{
    "DELETE", "/api/v1/providers/{namespace}/{type}/{version}"};
inline constexpr Endpoint<Restore, void, 3> kRestoreProvider{
    "POST", "/api/v1/providers/{namespace}/{type}/{version}/restore"};
inline constexpr Endpoint<void, KeyList, 1> kListKeys{"GET", "/api/v1/namespaces/{namespace}/keys"};
inline constexpr Endpoint<Bytes, KeyList, 1> kAddKeys{"POST",
                                                      "/api/v1/namespaces/{namespace}/keys"};
inline constexpr Endpoint<void, KeyList, 1> kRotateKey{
    "POST", "/api/v1/namespaces/{namespace}/keys/rotate"};
inline constexpr Endpoint<void, void, 2> kRemoveKey{"DELETE",
                                                    "/api/v1/namespaces/{namespace}/keys/{key_id}"};

}  // namespace koya::wire
