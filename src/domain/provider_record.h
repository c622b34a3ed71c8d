// Stored records of provider releases: plain records of well-formed values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"
#include "domain/digest.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/source_repository.h"
#include "domain/version.h"
#include "domain/withdrawal.h"

namespace koya {

// A release's zip for one platform.
struct ProviderPackage {
  Platform platform;
  std::string filename;
  Digest digest;           // of the zip; its "zh:" hash
  std::uint64_t size = 0;  // of the zip, in bytes
  // "h1:…": one, or two if Go's two ways to compute it differ (the hash over the zip's entries
  // first, then over the unpacked folder; see wire facts on directory entries).
  std::vector<std::string> h1;
  friend bool operator==(const ProviderPackage&, const ProviderPackage&) = default;
};

// A small file that is served byte for byte.
struct ReleaseDocument {
  Digest digest;
  std::uint64_t size = 0;
  friend bool operator==(const ReleaseDocument&, const ReleaseDocument&) = default;
};

// A published version of a provider. Two releases are the same if their SHA256SUMS are equal.
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
  std::string deprecation;   // the warning to users; "" when not deprecated
  // The claims of the CI identity that published it, as JSON; "": none.
  std::string provenance = {};
  std::optional<SourceRepository> source = {};  // as of ModuleVersionRecord
  friend bool operator==(const ProviderRelease&, const ProviderRelease&) = default;
};

// A release in lists of versions.
struct ReleaseSummary {
  Version version;
  std::vector<std::string> protocols;
  std::vector<Platform> platforms;  // sorted
  UnixSeconds published_at = 0;
  std::string published_by;
  std::string deprecation;
  std::string key_fingerprint;  // of the key that signed it
  std::optional<SourceRepository> source = {};
};

// A withdrawn release.
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
  bool deprecated = false;       // `latest` is
};

// Selects providers for a listing. Empty fields do not restrict; letter case is ignored.
struct ProviderFilter {
  std::string ns;
  std::string query;            // matches when each word occurs in namespace or type
  std::string after;            // only providers after this address ("acme/demo") in order
  ReadableNamespaces readable;  // only providers in these namespaces
};

// A file of a draft: a release that its author is assembling, and that only the author can see.
struct DraftFile {
  std::string name;
  Digest digest;
  std::uint64_t size = 0;
  // For zips, the results of their inspection on arrival.
  std::vector<std::string> h1;
  std::vector<std::string> problems;  // sentences; reasons why it cannot be published
  friend bool operator==(const DraftFile&, const DraftFile&) = default;
};

struct DraftRecord {
  std::string id;  // unguessable
  ProviderAddress address;
  Version version;
  UnixSeconds created_at = 0;
  std::string created_by;  // name of the token
  UnixSeconds expires_at = 0;
  std::string upload = {};       // the publisher's name for the files that go into it; "": none
  std::vector<DraftFile> files;  // by name
};

}  // namespace koya
