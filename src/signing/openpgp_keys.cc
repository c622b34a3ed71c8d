#include <fmt/format.h>

#include <algorithm>

#include "signing/armor.h"
#include "signing/key_ring.h"
#include "signing/openpgp.h"

namespace koya::signing {
namespace {

// The keys of the ring that make signatures now, the primary key in any case.
bool MakesSignatures(const KeyFacts& facts, const KeyFacts& primary) {
  if (!facts.may_sign || !facts.is_bound) return false;
  return &facts == &primary || (!facts.expired && !facts.revoked);
}

// What the key signs with, or did until it expired: the part whose end comes last. Null: nothing.
const KeyFacts* LastSigner(const KeyRingFacts& facts) {
  const KeyFacts* last = nullptr;
  for (const KeyFacts& part : facts.keys) {
    if (!part.may_sign || !part.is_bound || part.revoked) continue;
    const bool later = last == nullptr || !part.expires_at ||
                       (last->expires_at && *part.expires_at > *last->expires_at);
    if (later) last = &part;
  }
  return last;
}

// Whether clients know what the key signs with.
bool UsableByClients(const KeyRing& ring, const KeyRingFacts& facts) {
  bool signs = false;
  for (const PublicKeyPacket& key : ring.keys) {
    const KeyFacts* key_facts = facts.FindKey(key.fingerprint);
    if (key_facts == nullptr || !MakesSignatures(*key_facts, facts.keys.front())) continue;
    if (key.usable_by_clients) return true;
    signs = true;
  }
  return !signs && ring.keys.front().usable_by_clients;
}

Result<PublicKey> Describe(const KeyRing& ring, UnixSeconds now) {
  ASSIGN_OR_RETURN(KeyRingFacts facts, ReadFacts(ring, now));
  const PublicKeyPacket& packet = ring.keys.front();
  const KeyFacts& primary = facts.keys.front();
  if (!primary.is_bound || facts.user_ids.empty()) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("the OpenPGP key {} has no user id with a currently valid "
                            "self-signature; export it again, and check this server's clock",
                            packet.fingerprint));
  }
  PublicKey key{.fingerprint = packet.fingerprint,
                .key_id = packet.key_id(),
                .user_ids = facts.user_ids,
                .algorithm = packet.algorithm,
                .created_at = packet.created_at,
                .expires_at = primary.expires_at,
                .expired = primary.expired,
                .revoked = primary.revoked};
  key.can_sign = std::ranges::any_of(
      facts.keys, [&](const KeyFacts& part) { return MakesSignatures(part, primary); });
  const KeyFacts* signer = LastSigner(facts);
  const bool ends_sooner = signer != nullptr && signer->expires_at &&
                           (!key.expires_at || *signer->expires_at < *key.expires_at);
  if (ends_sooner) key.expires_at = signer->expires_at;
  if (signer != nullptr && !key.can_sign) key.expired_signer = signer->fingerprint;
  key.usable_by_clients = UsableByClients(ring, facts);
  key.armor = WriteArmor(kPublicKeyLabel, ring.bytes);
  return key;
}

}  // namespace

Result<std::vector<PublicKey>> ReadPublicKeys(std::string_view text, UnixSeconds now) {
  ASSIGN_OR_RETURN(const std::vector<KeyRing> rings, ReadKeyRings(text));
  std::vector<PublicKey> keys;
  for (const KeyRing& ring : rings) {
    ASSIGN_OR_RETURN(PublicKey key, Describe(ring, now));
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace koya::signing
