// Exchanges a CI's signed token for a token that publishes in one namespace, if the namespace
// trusts that CI.
//
// No issuer is asked over the network unless the namespace trusts it; an unknown namespace,
// another's namespace, and one that trusts another issuer look alike to the caller.
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "domain/audit_record.h"

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

// Limits how often an address may try to exchange a CI's token: verifying signatures costs time.
// Counts attempts on this server, per address (IPv6: per /64), in bounded memory. Machines of one
// CI share an address, so the limit is generous. Threads: any.
class TokenExchangeRateLimiter {
 public:
  static constexpr unsigned kMost = 120;                 // per address and window
  static constexpr UnixSeconds kWindow = 60;             // seconds
  static constexpr std::size_t kMostAddresses = 10'000;  // further addresses share one count

  explicit TokenExchangeRateLimiter(const Clock& clock) : clock_(clock) {}

  // Counts one attempt. Fails: kThrottled (retry_after).
  Status Enter(std::string_view address);

 private:
  const Clock& clock_;
  std::mutex mutex_;
  UnixSeconds begun_at_ = 0;  // start of the window that all addresses share
  std::map<std::string, unsigned> counts_;
};

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
