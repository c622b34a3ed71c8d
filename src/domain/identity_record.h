// Where else people sign in, and which programs elsewhere are trusted.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"

namespace koya {

// A group of a sign-in provider, and the one of here whose members its members are.
struct GroupMapping {
  std::string theirs;
  std::string ours;
  friend bool operator==(const GroupMapping&, const GroupMapping&) = default;
};

// An OpenID Connect provider that people can sign in with.
struct IdentityProviderRecord {
  std::string
      name;  // as account names; unique, whatever the letter case; part of the callback's path
  std::string issuer;
  std::string client_id;
  std::string sealed_secret;  // "": a public client, which has none
  std::string groups_claim;   // "": what it says of groups does not count
  std::vector<GroupMapping> groups;
  UnixSeconds created_at = 0;
  std::string created_by;
  friend bool operator==(const IdentityProviderRecord&, const IdentityProviderRecord&) = default;
};

// What a provider says of who has just signed in there.
struct IdentityClaim {
  std::string provider;             // IdentityProviderRecord::name
  std::string subject;              // "sub": never given to anybody else by that issuer
  std::string wanted_name;          // a name that an account can have
  std::vector<std::string> groups;  // of ours
  std::string email = {};           // "": it says none, or not that it is theirs
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
