// Stored records of sign-in providers, and of trusted CI identities.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"

namespace koya {

// A group of a sign-in provider, and the local group that its members join.
struct GroupMapping {
  std::string theirs;
  std::string ours;
  friend bool operator==(const GroupMapping&, const GroupMapping&) = default;
};

// An OpenID Connect provider that users can sign in with.
struct IdentityProviderRecord {
  std::string
      name;  // as account names; unique, whatever the letter case; part of the callback's path
  std::string issuer;
  std::string client_id;
  std::string sealed_secret;  // "": a public client, which has none
  std::string groups_claim;   // "": groups that it reports are ignored
  std::vector<GroupMapping> groups;
  UnixSeconds created_at = 0;
  std::string created_by;
  bool enabled = true;  // users can sign in with it
  friend bool operator==(const IdentityProviderRecord&, const IdentityProviderRecord&) = default;
};

// The claims of a sign-in provider about a user who has just signed in there.
struct IdentityClaim {
  std::string provider;             // IdentityProviderRecord::name
  std::string subject;              // "sub": unique and never reused by that issuer
  std::string wanted_name;          // valid as an account name
  std::vector<std::string> groups;  // local groups
  std::string email = {};           // "": none reported, or not verified as theirs
};

// A CI identity that may publish in a namespace: oidc::ClaimRules, as texts.
struct TrustRecord {
  std::string id;  // auth::RandomId()
  std::string ns;
  std::string issuer;
  std::vector<std::string> rules;  // "NAME=PATTERN"
  UnixSeconds created_at = 0;
  std::string created_by;
  friend bool operator==(const TrustRecord&, const TrustRecord&) = default;
};

}  // namespace koya
