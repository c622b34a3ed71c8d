// Manages the OpenID Connect providers that people can sign in with: for administrators only, since
// adding a provider lets its users in.
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "domain/identity_record.h"
#include "service/providers/signing_keys.h"

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
  std::string groups_claim = {};   // "": its groups are ignored
  // Empty: its groups map to the groups of the same name here.
  std::vector<GroupMapping> groups = {};
};

// A finding about a provider, as a sentence.
struct ProviderFinding {
  bool good = false;
  std::string text;
};

class IdentityProviders {
 public:
  using Findings = std::vector<ProviderFinding>;
  static constexpr std::size_t kMostProviders = 50;
  static constexpr std::size_t kMostMappings = 1000;

  // All arguments must outlive this.
  IdentityProviders(IdentityCatalog& catalog, upstream::IssuerClient& issuers,
                    const signing::Sealer& sealer, const Clock& clock)
      : catalog_(catalog), issuers_(issuers), sealer_(sealer), clock_(clock) {}

  // Adds a provider, disabled, without asking its issuer: Test() does that. Fails: kForbidden;
  // kInvalid (an invalid name, issuer, claim or group); kConflict (the name is taken, or too many
  // providers); kNotFound (a group of ours).
  Task<IdentityProviderRecord> Add(auth::Principal by, NewIdentityProvider provider);
  // Lists all providers by name. Fails: kForbidden.
  Task<std::vector<IdentityProviderRecord>> List(auth::Principal by);
  // Fails: kForbidden, kNotFound.
  Task<void> Remove(auth::Principal by, std::string name);
  // Asks the issuer again; problems are findings, not errors. Enables the provider if all findings
  // are good. Fails: kForbidden, kNotFound.
  Task<Findings> Test(auth::Principal by, std::string name);
  // Users can no longer sign in with the provider; their sessions stay. Fails: kForbidden,
  // kNotFound.
  Task<IdentityProviderRecord> Disable(auth::Principal by, std::string name);
  // Seals every secret with server.secret, as SigningKeys::Reseal; Resealed::lost names providers
  // as "sign-in provider NAME". Fails: kForbidden.
  Task<SigningKeys::Resealed> Reseal(auth::Principal by);

  // The names of the enabled providers for the sign-in page, in order. Fails: as the catalog.
  Task<std::vector<std::string>> Names();
  // Fails: kNotFound.
  Task<IdentityProviderRecord> FindProvider(std::string name);
  // The client secret; "": a public client. Fails: kCorrupt, when server.secret was replaced.
  Result<std::string> SecretOf(const IdentityProviderRecord& provider) const;

 private:
  Task<Findings> AskIssuer(IdentityProviderRecord provider);

  IdentityCatalog& catalog_;
  upstream::IssuerClient& issuers_;
  const signing::Sealer& sealer_;
  const Clock& clock_;
};

}  // namespace koya::service
