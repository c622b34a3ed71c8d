// Documents of "koya verify": stored artifacts, and the results of checking them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/endpoint.h"

namespace koya::wire {

// One artifact whose bytes can be verified: a module version's archive, a provider release's zip
// for one platform, its SHA256SUMS and signature, its docs, its schema, a file of a draft, or an
// object by its record.
struct StoredArtifact {
  std::string kind;        // "module", "package", "documents", "docs", "schema"; "draft": a file of
                           // one; "record": of an object in the object store; "object": of the
                           // object store, and no record names it
  std::string hostname;    // of another registry, ASCII form; "": published here
  std::string address;     // "acme/vpc/aws", "acme/demo"; an object's name
  std::string version;     // "" for an object or a record
  std::string platform;    // "linux_amd64", for a package; otherwise ""
  std::uint64_t size = 0;  // bytes; 0: unknown
  std::string digest = {};  // of a draft's file or a record: "sha256:…"; otherwise ""
  std::string file = {};    // of a draft; otherwise ""
  // "registry.opentofu.org/acme/demo 1.0.0 linux_amd64", for people.
  std::string Name() const;
  friend bool operator==(const StoredArtifact&, const StoredArtifact&) = default;
};

// A page. `next`: the parameter for the next page, "" at the end.
struct StoredArtifacts {
  std::vector<StoredArtifact> things;
  std::string next;
};

// An empty body means the defaults.
struct VerifyRequest {
  bool quick = false;   // sizes only
  bool repair = false;  // fetch damaged or missing artifacts from upstream
};

struct CheckOutcome {
  std::string state;  // "ok", "not_held", "damaged", "missing"
  bool repaired = false;
  std::string problem;                // the fault and its fix; "" when state says it
  std::vector<std::string> warnings;  // current rules that undamaged bytes break
};

// The findings of a run: the result of "koya verify --json".
struct VerifyFinding {
  StoredArtifact thing;
  CheckOutcome outcome;
};
struct VerifyReport {
  std::uint64_t checked = 0;
  std::vector<VerifyFinding> findings;  // damaged or missing artifacts, or those with warnings
  // The number of damaged or missing artifacts, and how many of them were repaired.
  std::uint64_t damaged() const;
  std::uint64_t repaired() const;
};
std::string EncodeVerifyReport(const VerifyReport& report);

// ---- lock files

// A hash in a lock file.
struct LockedHash {
  std::string hash;  // as spelled: "h1:…", "zh:…"
  bool known = false;
  std::string state;  // "known", "differs", "unknown" or "unchecked"
  std::string file;   // of the release, which has it; "": not known
  friend bool operator==(const LockedHash&, const LockedHash&) = default;
};

// What this registry knows of a provider in a lock file, and of its hashes there.
struct LockedProviderReport {
  std::string file;  // the lock file; the server does not know its name
  std::string address;
  std::string version;
  std::string seen;     // RFC 3339: published, or first seen here; "": never
  std::string from;     // "published", or the registry's host; ""
  std::string key;      // of the signature; "": none, or not known
  std::string by;       // who published it here: a CI job's repository, else a token; ""
  std::string verdict;  // of the policy now: "allow" or "refuse"; "withdrawn"
  std::vector<LockedHash> hashes;
  friend bool operator==(const LockedProviderReport&, const LockedProviderReport&) = default;
};
using LockReport = ListOf<LockedProviderReport, "providers", "the report on the lock file">;

// ---- endpoints

inline constexpr Endpoint<Bytes, LockReport> kVerifyLock{"POST", "/api/v1/verify/lock"};

inline constexpr Endpoint<void, StoredArtifacts> kListStored{"GET", "/api/v1/verify"};
// Of a digest; its size is the parameter "size".
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 1> kCheckBlob{"POST",
                                                                     "/api/v1/verify/blobs/{id}"};
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 4> kCheckModule{
    "POST", "/api/v1/modules/{namespace}/{name}/{system}/{version}/verify"};
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 3> kCheckProviderDocuments{
    "POST", "/api/v1/providers/{namespace}/{type}/{version}/verify"};
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 3> kCheckProviderDocs{
    "POST", "/api/v1/providers/{namespace}/{type}/{version}/docs/verify"};
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 3> kCheckProviderSchema{
    "POST", "/api/v1/providers/{namespace}/{type}/{version}/schema/verify"};
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 5> kCheckProviderPackage{
    "POST", "/api/v1/providers/{namespace}/{type}/{version}/{os}/{arch}/verify"};
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 4> kCheckMirroredDocuments{
    "POST", "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/verify"};
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 6> kCheckMirroredPackage{
    "POST", "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}/verify"};
inline constexpr Endpoint<VerifyRequest, CheckOutcome, 5> kCheckMirroredModule{
    "POST", "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/verify"};

}  // namespace koya::wire
