// Reads uploaded public keys: each with its subkeys, user ids and certifications. Verifies
// signatures with a key.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/handle.h"
#include "base/result.h"
#include "signing/packets.h"

namespace koya::signing {

using KeyHandle = Handle<EVP_PKEY, EVP_PKEY_free>;

// One OpenPGP public key or subkey, version 4 (RFC 4880 §5.5.2).
struct PublicKeyPacket {
  std::string fingerprint;  // upper-case hex
  UnixSeconds created_at = 0;
  std::uint8_t algorithm_id = 0;   // RFC 4880 §9.1
  std::string algorithm;           // "RSA 4096", "Ed25519", "ECDSA P-256"
  bool usable_by_clients = false;  // as a signer
  KeyHandle key;                   // nullptr when it cannot sign, or is of an unknown type

  std::string key_id() const { return fingerprint.substr(24); }
};

// Fails: kInvalid when it is damaged, of another version, or has numbers far larger than any in
// use: those would take minutes to compute with.
Result<PublicKeyPacket> ParsePublicKey(std::string_view body);

// "SHA256", or "hash 99".
std::string HashName(std::uint8_t hash_algorithm);
// MD5, SHA-1, RIPEMD-160.
bool IsWeakHash(std::uint8_t hash_algorithm);

// Whether `signature` is by `key` over `data`: checks only the mathematics, and that the key is not
// younger than the signature.
bool Verifies(const PublicKeyPacket& key, const SignaturePacket& signature, std::string_view data);

// One key as in its packets, unverified.
struct KeyRing {
  std::string bytes;                  // all of its packets
  std::vector<PublicKeyPacket> keys;  // the primary key first
};

inline constexpr std::size_t kMaxKeysInText = 32;
inline constexpr std::size_t kMaxSubkeys = 32;

// Every key in the armored text; see ReadPublicKeys.
Result<std::vector<KeyRing>> ReadKeyRings(std::string_view text);

// Facts about one key of a ring at a given time, from those of its self-signatures that verify.
struct KeyFacts {
  std::string fingerprint;
  std::optional<UnixSeconds> expires_at;
  bool may_sign = false;
  bool is_bound = false;  // by a self-signature that verifies
  bool expired = false;
  bool revoked = false;
};

struct KeyRingFacts {
  std::vector<std::string> user_ids;  // safe to show
  std::vector<KeyFacts> keys;         // the primary key first

  const KeyFacts* FindKey(std::string_view fingerprint) const;
};

// Verifies the self-signatures. Fails: kInvalid when the key cannot be parsed; kInternal.
Result<KeyRingFacts> ReadFacts(const KeyRing& ring, UnixSeconds now);

}  // namespace koya::signing
