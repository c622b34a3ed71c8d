// Implements sign-in with an OpenID Connect provider: the browser is sent there, and comes back
// with a code.
//
// The state of a sign-in (state, nonce, the PKCE verifier, the destination) is sealed and stays
// with the browser that began it: any server that shares server.secret can finish it, and no other
// browser can.
// Threads: any.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.h"
#include "domain/account_record.h"

namespace koya {
class IdentityCatalog;
struct IdentityProviderRecord;
}  // namespace koya
namespace koya::auth {
struct Principal;
}
namespace koya::oidc {
class Claims;
struct ClientAtIssuer;
struct DiscoveryDocument;
}  // namespace koya::oidc
namespace koya::signing {
class Sealer;
}
namespace koya::upstream {
class IssuerClient;
}

namespace koya::service {

struct Browser;
class IdentityProviders;

// A browser on its way to a provider.
struct AuthorizationRedirect {
  std::string location;      // URL to redirect to
  std::string sealed_state;  // the browser sends it when it comes back; base64
};

// The parameters that the browser came back with, as sent; "": absent.
struct ProviderAnswer {
  std::string sealed_state;
  std::string state;
  std::string code;
  std::string iss;  // RFC 9207
  std::string error;
  std::string error_description;
};

struct SignInResult {
  AccountRecord account;
  std::string method;  // SessionRecord::method
  std::string to;      // as it was given to Begin
};

// Preview of a sign-in: no user was signed in, and nothing was recorded.
struct SignInPreview {
  static constexpr std::size_t kMostClaims = 60;

  std::string provider;  // its name
  // The claims of the provider's token by name, each as a text; kMostClaims at most.
  std::vector<std::pair<std::string, std::string>> claims;
  std::string wanted_name;          // the name of a new user
  std::vector<std::string> theirs;  // the provider's groups
  std::vector<std::string> groups;  // the user's groups here
};

class ProviderSignIn {
 public:
  static constexpr std::chrono::minutes kTime{10};  // time limit from Begin to Finish
  static constexpr std::size_t kMostTo = 2000;      // bytes: all of it must fit into a cookie

  // All arguments must outlive this.
  ProviderSignIn(IdentityProviders& providers, IdentityCatalog& catalog,
                 upstream::IssuerClient& issuers, const signing::Sealer& sealer, const Clock& clock)
      : providers_(providers),
        catalog_(catalog),
        issuers_(issuers),
        sealer_(sealer),
        clock_(clock) {}

  // Begins a sign-in. `callback`: the redirect URL that the provider knows. `to`: a path on this
  // server; one that is too long becomes "/". Fails: kNotFound: the provider; kBadUpstream and
  // others: its issuer's answer is unusable, or its users cannot sign in there; kCorrupt: its
  // secret cannot be opened; kForbidden: it is disabled.
  Task<AuthorizationRedirect> Begin(std::string provider, std::string callback, std::string to);

  // Finishes a sign-in. Returns the account of the provider's user, created on the first sign-in.
  // Fails: kUnauthenticated: begun in another browser, too long ago or by another provider, denied
  // by the provider, or its token is not one for us; else as Begin.
  Task<SignInResult> Finish(Browser browser, std::string provider, std::string callback,
                            ProviderAnswer answer);
  // Begins a trial that shows the result of a sign-in, for administrators, with a disabled provider
  // as well; Finish rejects its state. Fails: as Begin; kForbidden.
  Task<AuthorizationRedirect> BeginTrial(auth::Principal by, std::string provider,
                                         std::string callback);
  // Returns whether the state belongs to a trial.
  bool IsTrial(std::string_view provider, std::string_view sealed_state) const;
  // Finishes a trial. `by`: the user who began it. Fails: as Finish; kForbidden.
  Task<SignInPreview> FinishTrial(auth::Principal by, std::string provider, std::string callback,
                                  ProviderAnswer answer);
  // The destination after a sign-in, successful or not; "/" if it is unknown.
  std::string Destination(std::string_view provider, std::string_view sealed_state) const;

 private:
  struct Pending;
  // Each purpose is sealed under its own name.
  enum class Purpose { kSignIn, kTrial };
  using Document = std::shared_ptr<const oidc::DiscoveryDocument>;

  Task<AuthorizationRedirect> BeginFor(Purpose purpose, std::string provider, std::string callback,
                                       std::string to);
  Result<Pending> OpenPending(Purpose purpose, const IdentityProviderRecord& provider,
                              const ProviderAnswer& answer) const;
  // The provider's claims about the user who came back.
  Task<oidc::Claims> ClaimsOf(IdentityProviderRecord provider, Pending pending,
                              std::string callback, ProviderAnswer answer);
  Result<oidc::ClientAtIssuer> ClientOf(const IdentityProviderRecord& provider,
                                        std::string callback) const;
  Task<Document> DocumentOf(std::string issuer);
  Task<std::string> ExchangeCode(Document document, oidc::ClientAtIssuer client, std::string code,
                                 std::string verifier);
  Task<oidc::Claims> VerifyToken(Document document, std::string token, std::string client_id,
                                 std::string nonce);

  IdentityProviders& providers_;
  IdentityCatalog& catalog_;
  upstream::IssuerClient& issuers_;
  const signing::Sealer& sealer_;
  const Clock& clock_;
};

}  // namespace koya::service
