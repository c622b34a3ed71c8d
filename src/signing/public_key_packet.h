// Parses one OpenPGP public key or subkey, version 4 (RFC 4880 §5.5.2), and verifies signatures
// with it.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/handle.h"
#include "base/result.h"
#include "signing/packets.h"

namespace koya::signing {

using KeyHandle = Handle<EVP_PKEY, EVP_PKEY_free>;

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

}  // namespace koya::signing
