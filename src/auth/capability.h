// Capability URLs: the address of one file, with permission to fetch it for a while on behalf of a
// caller. Clients fetch archives, SHA256SUMS and signatures without their token, so the URL itself
// identifies the caller:
//
//   PATH?expires=1770000000&sig=AWuGsnO0NPzhnWtyQI…
//
// `expires` is in Unix seconds, in decimal. `sig` is base64url without padding of one byte for the
// bearer's kind, the 16 bytes of its id, and 32 of an HMAC-SHA-256 over path, expiry, kind and id.
// Every server with the same secret creates the same signatures, and a URL may be requested any
// number of times. A valid one identifies the caller but does not grant the permission: the token
// may have been revoked since.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "auth/principal.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/sha256.h"

namespace koya::auth {

// The longest lifetime of such URLs. A URL that ends more than a day beyond it is rejected.
constexpr std::chrono::seconds kLongestCapability = std::chrono::days(7);

// Any thread. Keys are wiped when the signer is destroyed.
class CapabilitySigner {
 public:
  // `server_secret` is server.secret, at least 16 bytes (checked with the settings); `previous` is
  // server.secret_previous, whose URLs stay valid until they expire. "": there is none.
  explicit CapabilitySigner(std::string_view server_secret, std::string_view previous = "");
  ~CapabilitySigner();
  CapabilitySigner(const CapabilitySigner&) = delete;
  CapabilitySigner& operator=(const CapabilitySigner&) = delete;

  // The part after "PATH?", or "&": "expires=…&sig=…". `path` is decoded, as in http::Target when
  // the URL is requested: a different spelling is a different path.
  std::string Sign(std::string_view path, const CapabilityBearer& bearer,
                   UnixSeconds expires) const;

  // The caller that requests `path` with `query` (as sent, without "?"); nullopt: it has neither
  // parameter, so it is not such a URL. Parameters of other names, and the order, do not matter. A
  // URL is accepted until five seconds after its expiry, since clocks differ. Fails: kForbidden,
  // saying whether it was altered (or is of another path or server), has expired and when, or has a
  // parameter that is absent, malformed or repeated; the message repeats nothing of the query but
  // its expiry.
  Result<std::optional<CapabilityBearer>> Verify(std::string_view path, std::string_view query,
                                                 UnixSeconds now) const;

  // The bearer of such a URL, expired or not: only for naming the caller of a denied request, never
  // for granting anything. Nullopt: not a capability URL, or altered.
  std::optional<CapabilityBearer> SignedFor(std::string_view path, std::string_view query) const;

  // The expiry of a URL created at `now` with lifetime `ttl`, or slightly later: by up to a
  // fifteenth of it, at most a minute, so that all URLs created meanwhile are the same, and so are
  // the documents that contain them. REQUIRES: 0 < `ttl` <= kLongestCapability.
  static UnixSeconds ExpiryFor(UnixSeconds now, std::chrono::seconds ttl);

 private:
  using Key = Sha256Bytes;
  struct Claim;
  // The claim of the URL, which this server signed; nullopt: not a capability URL. Fails: as
  // Verify, except for expiry.
  Result<std::optional<Claim>> ReadClaim(std::string_view path, std::string_view query) const;

  Key key_;
  std::optional<Key> previous_;
};

}  // namespace koya::auth
