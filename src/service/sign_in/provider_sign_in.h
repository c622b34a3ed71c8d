// Signing in with an OpenID Connect provider: a browser is sent there, and comes back with a code.
//
// What belongs to one sign-in (state, nonce, PKCE's verifier, where to go afterwards) is sealed and
// stays with the browser that began it: any server that shares server.secret finishes it, and no
// other browser can.
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
struct BegunSignIn {
  std::string location;      // where it is sent
  std::string sealed_state;  // what it is to send when it comes back; base64
};

// What it came back with: parameters as sent, "" for those that are absent.
struct ProviderAnswer {
  std::string sealed_state;
  std::string state;
  std::string code;
  std::string iss;  // RFC 9207
  std::string error;
  std::string error_description;
};

struct FinishedSignIn {
  AccountRecord account;
  std::string method;  // SessionRecord::method
  std::string to;      // as it was given to Begin
};

// What a sign-in would have been, had it been one: nobody has come in, and nothing was recorded.
struct TriedSignIn {
  static constexpr std::size_t kMostClaims = 60;

  std::string provider;  // as it is called
  // What the provider's token says, by name, each as a text; kMostClaims at most.
  std::vector<std::pair<std::string, std::string>> claims;
  std::string wanted_name;          // what somebody new would be called
  std::vector<std::string> theirs;  // the groups that it names
  std::vector<std::string> groups;  // the groups here that they would be in
};

class ProviderSignIn {
 public:
  static constexpr std::chrono::minutes kTime{10};  // from Begin to Finish
  static constexpr std::size_t kMostTo = 2000;      // bytes: all of it must fit into a cookie

  // Everything given must outlive this.
  ProviderSignIn(IdentityProviders& providers, IdentityCatalog& catalog,
                 upstream::IssuerClient& issuers, const signing::Sealer& sealer, const Clock& clock)
      : providers_(providers),
        catalog_(catalog),
        issuers_(issuers),
        sealer_(sealer),
        clock_(clock) {}

  // `callback`: the redirect URL, as the provider knows it. `to`: a path on this server; one that
  // is too long is "/". Fails: kNotFound: the provider; kBadUpstream and others: its issuer gives
  // no usable answer, or nobody can sign in there; kCorrupt: its secret does not open.
  Task<BegunSignIn> Begin(std::string provider, std::string callback, std::string to);

  // Who it is that came back: the account that the provider's word leads to, made at the first
  // time. Fails: kUnauthenticated: begun elsewhere, too long ago, by another provider, refused
  // there, or its token is not one for us; else as Begin.
  Task<FinishedSignIn> Finish(Browser browser, std::string provider, std::string callback,
                              ProviderAnswer answer);
  // The same way there and back to see what would come of it, for administrators; Finish does not
  // take what this begins. Fails: as Begin; kForbidden.
  Task<BegunSignIn> BeginTrial(auth::Principal by, std::string provider, std::string callback);
  // Whether that is what a browser comes back from.
  bool IsTrial(std::string_view provider, std::string_view sealed_state) const;
  // What came back of it. `by`: whoever began it. Fails: as Finish; kForbidden.
  Task<TriedSignIn> FinishTrial(auth::Principal by, std::string provider, std::string callback,
                                ProviderAnswer answer);
  // Where to go afterwards, of a sign-in that fails or not; "/" where that cannot be told.
  std::string Destination(std::string_view provider, std::string_view sealed_state) const;

 private:
  struct Pending;
  // What was begun: sealed each under a name of its own.
  enum class Purpose { kSignIn, kTrial };
  using Document = std::shared_ptr<const oidc::DiscoveryDocument>;

  Task<BegunSignIn> BeginFor(Purpose purpose, std::string provider, std::string callback,
                             std::string to);
  Result<Pending> OpenPending(Purpose purpose, const IdentityProviderRecord& provider,
                              const ProviderAnswer& answer) const;
  // What the provider says of who came back.
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
