// Capability URLs: the address of one file, and leave to fetch it for a while on behalf of whoever
// asked for it. Clients fetch archives, SHA256SUMS and signatures without their token, so the URL
// itself says who they are:
//
//   PATH?expires=1770000000&sig=AWuGsnO0NPzhnWtyQI…
//
// `expires` is in Unix seconds, in decimal. `sig` is base64url without padding of one byte for the
// bearer's kind, the 16 bytes of its id, and 32 of an HMAC-SHA-256 over path, expiry, kind and id.
// The same is signed alike by every server with the same secret, and the same URL may be asked for
// as often as a client likes. A good one says who asks, and not that they may: their token may have
// been revoked since.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/sha256.h"

namespace koya {
class Digest;
}

namespace koya::auth {

// Who asks with a URL: the token or session that it was made for.
struct CapabilityBearer {
  enum class Kind : std::uint8_t { kToken = 1, kSession = 2 };  // stands in URLs: never renumber
  using Id = std::array<std::byte, 16>;

  Kind kind = Kind::kToken;
  Id id{};

  // Of what is stored as `digest` (TokenRecord::secret): its first half, which tells it from all
  // others and nothing about its text.
  static CapabilityBearer Of(Kind kind, const Digest& digest);

  friend bool operator==(const CapabilityBearer&, const CapabilityBearer&) = default;
};

// How long such URLs may be made to live. One that ends more than a day beyond is not taken.
constexpr std::chrono::seconds kLongestCapability = std::chrono::days(7);

// Any thread. Keys are wiped when the signer goes.
class CapabilitySigner {
 public:
  // `server_secret` is server.secret, at least 16 bytes (checked with the settings); `previous` is
  // server.secret_previous, whose URLs are good until they end. "": there is none.
  explicit CapabilitySigner(std::string_view server_secret, std::string_view previous = "");
  ~CapabilitySigner();
  CapabilitySigner(const CapabilitySigner&) = delete;
  CapabilitySigner& operator=(const CapabilitySigner&) = delete;

  // What follows "PATH?", or "&": "expires=…&sig=…". `path` is decoded, as http::Target has it when
  // the URL is asked for: the same file by another spelling is another path.
  std::string Sign(std::string_view path, const CapabilityBearer& bearer,
                   UnixSeconds expires) const;

  // Who asks for `path` with `query` (as sent, without "?"); nullopt: it has neither parameter, so
  // that is no such URL. Parameters of other names, and the order, do not matter. Five seconds
  // after its end a URL is still taken, since clocks differ. Fails: kForbidden, saying whether it
  // was altered (or is of another path or server), has ended and when, or has a parameter that is
  // absent, malformed or repeated; the message repeats nothing of the query but its end.
  Result<std::optional<CapabilityBearer>> Verify(std::string_view path, std::string_view query,
                                                 UnixSeconds now) const;

  // Whom such a URL was made for, ended or not: to name them when they are refused, and for nothing
  // that is given. Nullopt: it is none, or was altered.
  std::optional<CapabilityBearer> SignedFor(std::string_view path, std::string_view query) const;

  // When a URL ends that is made at `now` to live for `ttl`, or a little longer: up to a fifteenth
  // of it, at most a minute, so that all that are made meanwhile are the same, and so are the
  // documents that they are in. REQUIRES: 0 < `ttl` <= kLongestCapability.
  static UnixSeconds ExpiryFor(UnixSeconds now, std::chrono::seconds ttl);

 private:
  using Key = Sha256Bytes;
  struct Claim;
  // What the URL says, which this server signed; nullopt: it is none. Fails: as Verify, but for its
  // end.
  Result<std::optional<Claim>> ReadClaim(std::string_view path, std::string_view query) const;

  Key key_;
  std::optional<Key> previous_;
};

}  // namespace koya::auth
