// Asks issuers of OpenID Connect: what they say of themselves, their keys, and tokens for codes.
//
// Documents are kept: what an issuer says of itself for an hour, its keys too; keys that a token
// names and that are not there are fetched anew, at most once a minute for an issuer. While an
// issuer does not answer, what was kept counts for a day. Requests are bounded in time and size and
// run on threads of their own, a few at once for each namespace; of one issuer, one of a kind at a
// time.
// Threads: any.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "oidc/discovery_document.h"
#include "oidc/jwks.h"

namespace koya::upstream {

// Who named the issuer. Administrators may name one at a private address, owners of namespaces only
// where upstream.allow_private_addresses says so; and what owners named never takes the threads
// that administrators' sign-in providers are asked on.
class IssuerTrust {
 public:
  static IssuerTrust Administrators() { return IssuerTrust(""); }
  // REQUIRES: a namespace's name.
  static IssuerTrust OwnersOf(std::string ns) { return IssuerTrust(std::move(ns)); }

  bool is_administrators() const { return ns_.empty(); }
  const std::string& ns() const { return ns_; }  // of owners
  friend bool operator==(const IssuerTrust&, const IssuerTrust&) = default;

 private:
  explicit IssuerTrust(std::string ns) : ns_(std::move(ns)) {}
  std::string ns_;
};

class IssuerClient {
 public:
  virtual ~IssuerClient() = default;
  // Fails: kInvalid (no issuer), kBadUpstream, kUpstreamTimeout, kUnavailable (not reached); the
  // message names the issuer, and what to do.
  virtual Task<std::shared_ptr<const oidc::DiscoveryDocument>> Discover(std::string issuer,
                                                                        IssuerTrust trust) = 0;
  // `anew`: a key is missing. Fails: as Discover.
  virtual Task<std::shared_ptr<const oidc::KeySet>> Keys(std::string issuer, IssuerTrust trust,
                                                         bool anew) = 0;
  // POST of a form to the issuer's token endpoint, with `authorization` unless that is "". The
  // answer's body. Never retried. Fails: kUnauthenticated (it refused the code), else as Discover.
  virtual Task<std::string> PostForm(std::string url, IssuerTrust trust, std::string form,
                                     std::string authorization) = 0;
  // What was kept of the issuer counts no more, for somebody who has just changed something there.
  // Never waits.
  virtual void Forget(const std::string& issuer) = 0;
};

}  // namespace koya::upstream
