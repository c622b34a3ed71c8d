// Stored records about the policy on releases of other registries. Plain records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/upstream_record.h"
#include "domain/version.h"

namespace koya {

// The policy as it was set once.
struct PolicyRevision {
  std::int64_t revision = 0;  // from 1; 0: none was ever set
  std::string text;           // TOML, byte for byte; "" in lists
  std::string by;             // Actor::name
  UnixSeconds at = 0;
  std::string reason;
  friend bool operator==(const PolicyRevision&, const PolicyRevision&) = default;
};

// A revision to be.
struct NewPolicyRevision {
  std::string text;
  std::string reason;
  std::optional<std::int64_t> expected;  // the newest revision before; nullopt: any
  // The first revision admits every version that is pinned by then, so that existing configurations
  // still install.
  bool admits_pinned = true;
  std::int64_t copy_of = 0;  // a rollback to this revision; 0: none
};

// A version of another registry that is let through from now on.
struct Admission {
  std::string subject;  // UpstreamProvider::Key(), UpstreamModule::Key()
  std::string version;
};

// A key with which releases of a namespace of another registry are signed, as far as they are
// pinned here.
struct NamespaceSigner {
  std::string key;         // its fingerprint; "": no signature, or a key that was not recorded
  bool is_signed = false;  // false: these releases have no signature
  bool is_known = false;   // it signed an admitted release
  std::uint64_t releases = 0;
  UnixSeconds first_seen_at = 0;
  UnixSeconds last_seen_at = 0;
  struct Release {
    UpstreamProvider provider;
    Version version;
    UnixSeconds seen_at = 0;
    friend bool operator==(const Release&, const Release&) = default;
  };
  std::vector<Release> newest;  // last seen first; some
  friend bool operator==(const NamespaceSigner&, const NamespaceSigner&) = default;
};

// Facts by which the policy judges a pinned version of a provider or module.
struct PinnedFacts {
  Version version;
  UnixSeconds seen_at = 0;
  // Of providers. `signer`: as UpstreamRelease::signer.
  bool is_signed = false;
  std::string signer;
  std::vector<std::string> attachments;  // names of the pinned ones
  UnixSeconds changed_at = 0;  // when its registry was found to offer other bytes; 0: never
  friend bool operator==(const PinnedFacts&, const PinnedFacts&) = default;
};

}  // namespace koya
