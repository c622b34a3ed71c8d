// What servers know one another by: keys derived from server.secret, which all of them share.
//
// A server shows a certificate whose P-256 key is derived from the secret, so that a peer knows its
// public key without ever having seen it; a request carries an HMAC, under another derived key, of
// all that it says. While a secret is being replaced the one before counts, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/sha256.h"

namespace koya::peers {

// What a request says: the HMAC is of this.
struct PeerRequest {
  std::string_view method;
  std::string_view path;  // as sent, without a query
  std::uint64_t offset = 0;
  UnixSeconds time = 0;  // when it was made, by the database's clock
};

// Immutable once made; any thread.
class PeerKeys {
 public:
  // How far the clocks of two servers may be apart, and how long a request is good.
  static constexpr UnixSeconds kWindow = 60;

  // `previous`: server.secret_previous; "": there is none. Fails: kInternal.
  static Result<PeerKeys> Derive(std::string_view server_secret, std::string_view previous = "");

  // PEM, of today's secret. The certificate says nothing but its key, and never ends.
  const std::string& certificate() const { return certificate_; }
  const std::string& key() const { return key_; }
  // "sha256//BASE64", and the same of the secret before: whom this server believes
  // (http::ClientOptions::pinned_keys).
  const std::string& pins() const { return pins_; }

  // One HMAC, in hex, for each secret, with a blank between.
  std::string Sign(const PeerRequest& request) const;
  // Whether one of `macs`, as Sign makes them, was made with a secret of this server, at a time
  // that is not farther than kWindow from `now`.
  bool Accepts(const PeerRequest& request, std::string_view macs, UnixSeconds now) const;

 private:
  PeerKeys() = default;

  std::string certificate_;
  std::string key_;
  std::string pins_;
  std::vector<Sha256Bytes> mac_keys_;
};

}  // namespace koya::peers
