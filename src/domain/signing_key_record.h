// A namespace's OpenPGP key, as stored: releases are verified against it and served with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace koya {

struct SigningKeyRecord {
  std::string ns;           // normalised as in ProviderAddress
  std::string fingerprint;  // of the primary key, upper-case hex
  std::string key_id;       // of the primary key: 16 upper-case hex digits
  std::string armor;        // one public key, ASCII armor, as it is served
  std::vector<std::string> user_ids;
  std::string algorithm;                  // "RSA 4096", "Ed25519", "ECDSA P-256"
  UnixSeconds created_at = 0;             // of the key itself
  std::optional<UnixSeconds> expires_at;  // of the key itself
  UnixSeconds added_at = 0;
  std::string added_by;
  std::optional<UnixSeconds> removed_at;  // set: signs no new releases, still serves old ones
  // The secret key that this server generated, sealed (signing/sealer.h), base64; "" for keys of
  // authors and for server keys that were rotated out.
  std::string sealed_secret;
  bool server_made = false;
  friend bool operator==(const SigningKeyRecord&, const SigningKeyRecord&) = default;
};

// A key that expires, in short: for lists of many namespaces' keys.
struct EndingKey {
  std::string ns;
  std::string key_id;
  UnixSeconds expires_at = 0;
  friend bool operator==(const EndingKey&, const EndingKey&) = default;
};

}  // namespace koya
