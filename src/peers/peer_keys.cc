#include "peers/peer_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/hex.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "peers/peer_certificate.h"

namespace koya::peers {
namespace {

constexpr std::string_view kRequestPurpose = "koya peer requests, 1";
constexpr std::size_t kMostMacs = 2;
constexpr std::size_t kMacLength = 2 * std::tuple_size_v<Sha256Bytes>;

// No part but the last may hold a line's end, and that one is a number.
std::string MacOf(const Sha256Bytes& key, const PeerRequest& request) {
  std::string claim =
      fmt::format("{}\n{}\n{}\n{}", request.method, request.path, request.offset, request.time);
  return HexEncode(HmacSha256(key, {claim}));
}

}  // namespace

Result<PeerKeys> PeerKeys::Derive(std::string_view server_secret, std::string_view previous) {
  PeerKeys keys;
  for (std::string_view secret : {server_secret, previous}) {
    if (secret.empty()) continue;
    ASSIGN_OR_RETURN(PeerCertificate made, MakePeerCertificate(secret));
    if (keys.certificate_.empty()) {
      keys.certificate_ = std::move(made.certificate);
      keys.key_ = std::move(made.key);
    }
    keys.pins_ += (keys.pins_.empty() ? "" : ";") + made.pin;
    DeriveKey(secret, kRequestPurpose, keys.mac_keys_.emplace_back());
  }
  return keys;
}

std::string PeerKeys::Sign(const PeerRequest& request) const {
  std::string macs;
  for (const Sha256Bytes& key : mac_keys_) {
    if (!macs.empty()) macs += ' ';
    macs += MacOf(key, request);
  }
  return macs;
}

bool PeerKeys::Accepts(const PeerRequest& request, std::string_view macs, UnixSeconds now) const {
  if (request.time < now - kWindow || request.time > now + kWindow) return false;
  bool accepted = false;
  for (std::size_t given = 0; given < kMostMacs && !macs.empty(); ++given) {
    std::string_view mac = macs.substr(0, macs.find(' '));
    macs.remove_prefix(std::min(macs.size(), mac.size() + 1));
    if (mac.size() != kMacLength) return false;
    for (const Sha256Bytes& key : mac_keys_) {
      if (EqualSecrets(MacOf(key, request), mac)) accepted = true;
    }
  }
  return accepted && macs.empty();
}

}  // namespace koya::peers
