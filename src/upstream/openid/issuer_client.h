// Client of OpenID Connect issuers: their discovery documents, their keys, and tokens for codes.
//
// Documents are cached: discovery documents and keys for an hour; keys that a token names and that
// are missing are fetched again, at most once a minute for an issuer. While an issuer does not
// respond, cached documents are valid for a day. Requests are limited in time and size and run on
// threads of their own, a few at once for each namespace, and for one issuer one of a kind at a
// time. Threads: any.
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
// where upstream.allow_private_addresses allows it; and requests to issuers that owners named never
// use the threads for administrators' sign-in providers.
class IssuerTrust {
 public:
  static IssuerTrust Administrators() { return IssuerTrust(""); }
  // REQUIRES: the name of a namespace.
  static IssuerTrust OwnersOf(std::string ns) { return IssuerTrust(std::move(ns)); }

  bool is_administrators() const { return ns_.empty(); }
  const std::string& ns() const { return ns_; }  // whose owners named it
  friend bool operator==(const IssuerTrust&, const IssuerTrust&) = default;

 private:
  explicit IssuerTrust(std::string ns) : ns_(std::move(ns)) {}
  std::string ns_;
};

class IssuerClient {
 public:
  virtual ~IssuerClient() = default;
  // Fails: kInvalid (no issuer), kBadUpstream, kUpstreamTimeout, kUnavailable (not reached); the
  // message names the issuer, and a remedy.
  virtual Task<std::shared_ptr<const oidc::DiscoveryDocument>> Discover(std::string issuer,
                                                                        IssuerTrust trust) = 0;
  // `refresh`: fetch again, because a key is missing. Fails: as Discover.
  virtual Task<std::shared_ptr<const oidc::KeySet>> Keys(std::string issuer, IssuerTrust trust,
                                                         bool refresh) = 0;
  // Sends a form by POST to the issuer's token endpoint, with `authorization` unless that is "".
  // Returns the response's body. Never retried. Fails: kUnauthenticated (the issuer rejected the
  // code), else as Discover.
  virtual Task<std::string> PostForm(std::string url, IssuerTrust trust, std::string form,
                                     std::string authorization) = 0;
  // Invalidates all cached documents of the issuer, after a change of its configuration. Never
  // waits.
  virtual void DropDocuments(const std::string& issuer) = 0;
};

}  // namespace koya::upstream
