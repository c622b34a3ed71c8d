// Keys by which the servers of a cluster authenticate one another, derived from server.secret,
// which they share.
//
// A server presents a certificate whose P-256 key is derived from the secret, so that a peer knows
// the public key in advance; a request carries an HMAC of its whole content, with another derived
// key. While a secret is being replaced, the previous one is valid too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/sha256.h"
#include "domain/digest.h"

namespace koya::peers {

// The certificate by which a server authenticates itself to the others of its cluster.
struct PeerCertificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
  std::string pin;          // "sha256//BASE64" of the public key
};

// The same secret always gives the same key and pin. Fails: kInternal.
Result<PeerCertificate> MakePeerCertificate(std::string_view server_secret);

// The path and the fields of the route for fills, shared by both sides.
inline constexpr std::string_view kFillPattern = "/internal/fills/sha256/{digest}";
inline constexpr std::string_view kTimeField = "Koya-Peer-Time";
inline constexpr std::string_view kMacField = "Koya-Peer-Mac";

inline std::string FillPath(const Digest& digest) {
  return "/internal/fills/sha256/" + digest.hex();
}

// The content of a request that the HMAC covers.
struct PeerRequest {
  std::string_view method;
  std::string_view path;  // as sent, without a query
  std::uint64_t offset = 0;
  UnixSeconds time = 0;  // when it was made, by the database's clock
};

// Immutable; any thread.
class PeerKeys {
 public:
  // The maximal difference between the clocks of two servers, and the validity of a request.
  static constexpr UnixSeconds kWindow = 60;

  // `previous`: server.secret_previous; "": there is none. Fails: kInternal.
  static Result<PeerKeys> Derive(std::string_view server_secret, std::string_view previous = "");

  // PEM, of the current secret. The certificate states only its key, and never expires.
  const std::string& certificate() const { return certificate_; }
  const std::string& key() const { return key_; }
  // "sha256//BASE64", and the same for the previous secret: the keys that this server trusts
  // (http::ClientOptions::pinned_keys).
  const std::string& pins() const { return pins_; }

  // One HMAC, in hex, for each secret, separated by a blank.
  std::string Sign(const PeerRequest& request) const;
  // Whether one of `macs`, as made by Sign, was made with a secret of this server, at a time at
  // most kWindow from `now`.
  bool Accepts(const PeerRequest& request, std::string_view macs, UnixSeconds now) const;

 private:
  PeerKeys() = default;

  std::string certificate_;
  std::string key_;
  std::string pins_;
  std::vector<Sha256Bytes> mac_keys_;
};

}  // namespace koya::peers
