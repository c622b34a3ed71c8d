// OpenPGP keys and detached signatures (RFC 4880), in process, with no key ring on disk.
//
// Everything blocks (RSA, key generation) and is meant for a worker pool; no state is kept: any
// thread. Input is hostile and bounded: keys 256 KiB, signatures 64 KiB.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace koya::signing {

struct PublicKey {
  std::string fingerprint;  // of the primary key, upper-case hex
  std::string key_id;       // its last 16 digits
  std::vector<std::string> user_ids;
  std::string algorithm;  // "RSA 4096", "Ed25519", "ECDSA P-256"
  UnixSeconds created_at = 0;
  // When it stops signing: the earlier of its own expiry and the latest expiry of its signing keys.
  // nullopt: never.
  std::optional<UnixSeconds> expires_at;
  bool can_sign = false;  // the primary, or a subkey that is neither expired nor revoked
  // For a key that could sign until its subkeys expired: the fingerprint of the last of them;
  // otherwise "".
  std::string expired_signer;
  bool expired = false;  // at the given time
  bool revoked = false;
  // Whether clients can use it: RSA of 2048 bits and more, Ed25519, NIST curves; not DSA, not
  // brainpool.
  bool usable_by_clients = true;
  std::string armor;  // this key alone, with its subkeys, user ids and their certifications
};

inline constexpr std::size_t kMaxKeyText = 256 << 10;
inline constexpr std::size_t kMaxSignature = 64 << 10;

// Every public key in the text: one or several ASCII-armored blocks, each with one or several keys;
// text around the blocks is ignored. Fails: kInvalid when there is no key, when a block cannot be
// parsed, and, checked first and without repeating any of it, when there is a secret key.
Result<std::vector<PublicKey>> ReadPublicKeys(std::string_view text, UnixSeconds now);

// A detached signature in the form that clients need: binary. Accepts armored or binary bytes.
// Fails: kInvalid when it is neither, or contains anything but signatures.
Result<std::string> BinarySignature(std::string_view bytes);

// One signature of a document, checked against the given keys.
struct CheckedSignature {
  enum class State {
    kGood,        // made by `fingerprint` over exactly these bytes
    kBad,         // by that key, but not over these bytes
    kUnknownKey,  // by none of the keys given
  };
  State state = State::kUnknownKey;
  std::string key_id;       // the key that it names, primary or subkey: 16 upper-case hex digits
  std::string fingerprint;  // of the primary key, one of the given keys; "" for kUnknownKey
  std::string hash;         // "SHA256"
  bool weak_hash = false;   // MD5, SHA-1, RIPEMD-160
  // About the key that made it, or its primary key; at `now`.
  bool key_expired = false;
  bool key_revoked = false;
  bool key_may_sign = true;
  bool signature_expired = false;
};

// Checks every signature in `signature` (binary) over `data`. Policy is the caller's: a good
// signature by an expired key or with a weak hash is kGood here, with the flag set. Fails: kInvalid
// when `signature` contains none or cannot be parsed, or one of `armors` cannot be parsed.
Result<std::vector<CheckedSignature>> CheckSignatures(std::string_view data,
                                                      std::string_view signature,
                                                      std::span<const std::string> armors,
                                                      UnixSeconds now);

struct GeneratedKey {
  PublicKey public_key;
  std::string secret;  // binary, unprotected: seal it before storing it
};

// A new Ed25519 key that signs and never expires. Fails: kInternal.
Result<GeneratedKey> GenerateKey(std::string_view user_id, UnixSeconds now);

// A binary detached signature (SHA-512) with a key that GenerateKey made. Fails: kInternal.
Result<std::string> SignDetached(std::string_view data, std::string_view secret, UnixSeconds now);

}  // namespace koya::signing
