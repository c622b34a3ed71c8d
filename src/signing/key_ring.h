// Reads uploaded public keys: each with its subkeys, user ids and certifications.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "signing/public_key_packet.h"

namespace koya::signing {

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
