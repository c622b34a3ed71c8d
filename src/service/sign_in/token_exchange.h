// Exchanges a CI's signed token for a token that publishes in one namespace, if the namespace
// trusts that CI.
//
// No issuer is asked over the network unless the namespace trusts it; an unknown namespace,
// another's namespace, and one that trusts another issuer look alike to the caller.
// Threads: any.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/audit_record.h"
#include "service/sign_in/token_exchange_rate_limiter.h"

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
  // All arguments must outlive this.
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
    std::string audience;  // required of the token: access.oidc_audience, or server.url
    Actor from;            // the client; the audit log names the job
  };
  // Creates a token with the scope publish for that namespace alone, named "ci-" and a random end.
  // Fails: kThrottled; kUnauthenticated: not such a token at all; kTokenUsed: it was exchanged for
  // that namespace before; kForbidden: it is not trusted for that namespace. For a public namespace
  // the error also gives the reason, as kUnauthenticated or kForbidden, or as kBadUpstream and its
  // like: the issuer does not answer.
  Task<CreatedToken> Exchange(Request request);

 private:
  struct TrustedJob;

  // The namespace's trusts in that issuer. Fails: kForbidden: there are none.
  Task<std::vector<TrustRecord>> TrustOf(std::string ns, std::string issuer);
  Task<TrustedJob> Verify(Request request, std::vector<TrustRecord> trusted);
  Task<CreatedToken> Mint(Actor from, std::string ns, TrustedJob job);
  // The error for the client: `why`, or, unless the namespace is public, an error that hides it.
  Awaitable<Error> Told(std::string ns, Error why);

  TrustCatalog& trust_;
  NamespaceCatalog& namespaces_;
  TokenCatalog& tokens_;
  upstream::IssuerClient& issuers_;
  const Clock& clock_;
  TokenExchangeRateLimiter bound_;
};

// A job's claims as they are stored with its versions, as JSON of texts by name: who and what the
// job was. At most kMostProvenance bytes; long texts are cut, and the last ones left out.
inline constexpr std::size_t kMostProvenance = 4096;
std::string ProvenanceOf(const oidc::Claims& claims);

}  // namespace koya::service
