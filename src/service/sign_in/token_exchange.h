// A CI's signed token for a token that publishes in one namespace, if the namespace trusts that CI.
//
// Nobody is asked over the network before the namespace trusts the issuer that the token names; and
// to whom an unknown namespace, another's and one that trusts somebody else look alike.
// Threads: any.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/audit_record.h"
#include "service/sign_in/exchange_bound.h"

namespace koya {
class NamespaceCatalog;
class TokenCatalog;
class TrustCatalog;
struct TrustRecord;
}  // namespace koya
namespace koya::oidc {
class Claims;
}
namespace koya::upstream {
class IssuerClient;
}

namespace koya::service {

struct CreatedToken;

class TokenExchange {
 public:
  // Everything given must outlive this.
  TokenExchange(TrustCatalog& trust, NamespaceCatalog& namespaces, TokenCatalog& tokens,
                upstream::IssuerClient& issuers, const Clock& clock)
      : trust_(trust),
        namespaces_(namespaces),
        tokens_(tokens),
        issuers_(issuers),
        clock_(clock),
        bound_(clock) {}

  struct Request {
    std::string token;
    std::string ns;
    std::string audience;  // that the token must be for: access.oidc_audience, or server.url
    Actor from;            // the client; the audit log names the job
  };
  // A token with the scope publish for that namespace alone, named "ci-" and a random end. Fails:
  // kThrottled; kUnauthenticated: it is no such token at all; kTokenUsed: it was exchanged for that
  // namespace before; kForbidden: it is not trusted for that namespace; of a public namespace also
  // why, as kUnauthenticated or kForbidden, or as kBadUpstream and its like: the issuer does not
  // answer.
  Task<CreatedToken> Exchange(Request request);

 private:
  struct TrustedJob;

  // What the namespace trusts of that issuer. Fails: kForbidden: nothing.
  Task<std::vector<TrustRecord>> TrustOf(std::string ns, std::string issuer);
  Task<TrustedJob> Verify(Request request, std::vector<TrustRecord> trusted);
  Task<CreatedToken> Mint(Actor from, std::string ns, TrustedJob job);
  // `why`, or nothing of it, where the namespace is not everybody's to know of.
  Awaitable<Error> Told(std::string ns, Error why);

  TrustCatalog& trust_;
  NamespaceCatalog& namespaces_;
  TokenCatalog& tokens_;
  upstream::IssuerClient& issuers_;
  const Clock& clock_;
  ExchangeBound bound_;
};

// What is kept of a job's claims with what it publishes, as JSON of texts by name: who and what it
// was. At most kMostProvenance bytes; long texts are cut, and the last ones left out.
inline constexpr std::size_t kMostProvenance = 4096;
std::string ProvenanceOf(const oidc::Claims& claims);

}  // namespace koya::service
