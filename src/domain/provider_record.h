// Provider releases as they are kept and answered: plain records of well-formed values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/digest.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/readable_namespaces.h"
#include "domain/version.h"
#include "domain/withdrawal.h"

namespace koya {

// A release's zip for one platform.
struct ProviderPackage {
  Platform platform;
  std::string filename;
  Digest digest;           // of the zip; its "zh:" hash
  std::uint64_t size = 0;  // of the zip, in bytes
  // "h1:…": one, or two when Go's two ways of computing it differ (over the zip's entries first,
  // then over the unpacked folder; see wire facts on directory entries).
  std::vector<std::string> h1;
  friend bool operator==(const ProviderPackage&, const ProviderPackage&) = default;
};

// A small file that is served byte for byte.
struct ReleaseDocument {
  Digest digest;
  std::uint64_t size = 0;
  friend bool operator==(const ReleaseDocument&, const ReleaseDocument&) = default;
};

// One published version of a provider. Two releases are the same when their SHA256SUMS are.
struct ProviderRelease {
  ProviderAddress address;
  Version version;
  std::vector<std::string> protocols;     // "5.0", "6.0"; by number, at least one
  ReleaseDocument sums;                   // SHA256SUMS
  ReleaseDocument signature;              // binary, detached, over `sums`
  std::string key_fingerprint;            // of the key in the namespace that signed
  std::vector<ProviderPackage> packages;  // by platform, at least one
  UnixSeconds published_at = 0;
  std::string published_by;  // name of the token
  std::string deprecation;   // what users are warned with; "" when not deprecated
  // The claims of the CI identity that published it, as JSON; "": none did.
  std::string provenance = {};
  friend bool operator==(const ProviderRelease&, const ProviderRelease&) = default;
};

// A release as lists of versions show it.
struct ReleaseSummary {
  Version version;
  std::vector<std::string> protocols;
  std::vector<Platform> platforms;  // sorted
  UnixSeconds published_at = 0;
  std::string published_by;
  std::string deprecation;
  std::string key_fingerprint;  // of the key that signed it
};

// A release that is there no more.
struct WithdrawnRelease {
  Version version;
  UnixSeconds published_at = 0;
  Withdrawal withdrawal;
};

// A provider with its newest version (newest release, else newest prerelease).
struct ProviderSummary {
  ProviderAddress address;
  Version latest;
  UnixSeconds published_at = 0;  // of `latest`
  std::uint64_t versions = 0;    // not withdrawn
};

// Which providers a listing holds. Empty fields do not restrict; letter case is ignored.
struct ProviderFilter {
  std::string ns;
  std::string query;            // matches when each word occurs in namespace or type
  std::string after;            // only what follows this address ("acme/demo") in order
  ReadableNamespaces readable;  // only what is in these
};

// A release being put together by its author; nobody else sees it.
struct DraftFile {
  std::string name;
  Digest digest;
  std::uint64_t size = 0;
  // For zips, what their inspection found when they came in.
  std::vector<std::string> h1;
  std::vector<std::string> problems;  // sentences; what publishing must refuse
  friend bool operator==(const DraftFile&, const DraftFile&) = default;
};

struct DraftRecord {
  std::string id;  // unguessable
  ProviderAddress address;
  Version version;
  UnixSeconds created_at = 0;
  std::string created_by;  // name of the token
  UnixSeconds expires_at = 0;
  std::string upload = {};       // what the publisher calls the files that go into it; "": nothing
  std::vector<DraftFile> files;  // by name
};

}  // namespace koya
