// OpenID Connect providers that people can sign in with, and what is done about them: by
// administrators, since whoever names one lets its people in.
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "domain/identity_record.h"
#include "service/signing_keys.h"

namespace koya {
class IdentityCatalog;
}
namespace koya::auth {
struct Principal;
}
namespace koya::signing {
class Sealer;
}
namespace koya::upstream {
class IssuerClient;
}

namespace koya::service {

struct NewIdentityProvider {
  std::string name;
  std::string issuer;
  std::string client_id;
  std::string client_secret = {};  // "": a public client, which has none
  std::string groups_claim = {};   // "": what it says of groups does not count
  // None: its groups are those of the same name here.
  std::vector<GroupMapping> groups = {};
};

// What was found out about a provider, in a sentence.
struct ProviderFinding {
  bool good = false;
  std::string text;
};

class IdentityProviders {
 public:
  static constexpr std::size_t kMostProviders = 50;
  static constexpr std::size_t kMostMappings = 1000;

  // Everything given must outlive this.
  IdentityProviders(IdentityCatalog& catalog, upstream::IssuerClient& issuers,
                    const signing::Sealer& sealer, const Clock& clock)
      : catalog_(catalog), issuers_(issuers), sealer_(sealer), clock_(clock) {}

  // The issuer is not asked: Test() does. Fails: kForbidden; kInvalid (a name, an issuer, a claim
  // or a group that cannot be); kConflict (the name is taken, too many); kNotFound (a group of
  // ours).
  Task<IdentityProviderRecord> Add(auth::Principal by, NewIdentityProvider provider);
  // By name. Fails: kForbidden.
  Task<std::vector<IdentityProviderRecord>> List(auth::Principal by);
  // Fails: kForbidden, kNotFound.
  Task<void> Remove(auth::Principal by, std::string name);
  // Asks the issuer anew; what is wrong is found, not failed with. Fails: kForbidden, kNotFound.
  Task<std::vector<ProviderFinding>> Test(auth::Principal by, std::string name);
  // Seals every secret with server.secret, as SigningKeys::Reseal; "sign-in provider NAME" are
  // lost. Fails: kForbidden.
  Task<SigningKeys::Resealed> Reseal(auth::Principal by);

  // For the sign-in page: what they are called, in order. Fails: as the catalog.
  Task<std::vector<std::string>> Names();
  // Fails: kNotFound.
  Task<IdentityProviderRecord> Find(std::string name);
  // "": a public client. Fails: kCorrupt, when server.secret was replaced.
  Result<std::string> SecretOf(const IdentityProviderRecord& provider) const;

 private:
  IdentityCatalog& catalog_;
  upstream::IssuerClient& issuers_;
  const signing::Sealer& sealer_;
  const Clock& clock_;
};

}  // namespace koya::service
