#include "signing/key_ring.h"

#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

#include <algorithm>

#include "base/text.h"
#include "signing/armor.h"
#include "signing/openpgp.h"
#include "signing/packets.h"
#include "signing/rnp_session.h"

namespace koya::signing {
namespace {

// Nothing of the text is repeated: messages end in logs and terminals.
Status RefuseSecretKeys(std::string_view text) {
  bool found = BeginsArmor(text, "PRIVATE KEY") || BeginsArmor(text, "SECRET KEY") ||
               text.contains("PRIVATE KEY BLOCK") || HoldsSecretKey(text);
  // In blocks under another name, too, even beside blocks that are damaged.
  for (std::size_t at = text.find("-----BEGIN PGP "); at != std::string_view::npos && !found;
       at = text.find("-----BEGIN PGP ", at + 1)) {
    const std::size_t next = text.find("-----BEGIN PGP ", at + 1);
    const auto block = ReadArmor(text.substr(at, next - at));
    found = block && std::ranges::any_of(*block, HoldsSecretKey, &ArmorBlock::bytes);
  }
  if (!found) return {};
  return FailInvalid(
      "this text contains a secret key; it was not stored. Send only the public key: gpg --armor "
      "--export KEY. The secret key may have been seen on its way: consider a new one");
}

Failure NoPlaceFor(Tag tag) {
  return FailInvalid(
      "there is an OpenPGP packet of kind {} among the public keys, which does "
      "not belong there; export the key again with gpg --armor --export KEY",
      static_cast<unsigned>(tag));
}

class RingBuilder {
 public:
  Status Add(const Packet& packet) {
    const bool begins = packet.tag == Tag::kPublicKey;
    if (!begins && rings_.empty()) return NoPlaceFor(packet.tag);
    if (begins && rings_.size() == kMaxKeysInText) {
      return FailInvalid("the text has more than {} keys; send fewer at a time", kMaxKeysInText);
    }
    if (begins) rings_.emplace_back();
    if (begins || packet.tag == Tag::kPublicSubkey) {
      ASSIGN_OR_RETURN(PublicKeyPacket key, ParsePublicKey(packet.body));
      rings_.back().keys.push_back(std::move(key));
      if (rings_.back().keys.size() > kMaxSubkeys + 1) {
        return FailInvalid(
            "the key {} has more than {} subkeys; export it without the old "
            "ones",
            rings_.back().keys.front().fingerprint, kMaxSubkeys);
      }
    }
    rings_.back().bytes += packet.whole;
    return {};
  }

  Result<std::vector<KeyRing>> Finish() {
    std::vector<std::string_view> seen;
    for (const KeyRing& ring : rings_) {
      const std::string& fingerprint = ring.keys.front().fingerprint;
      if (std::ranges::find(seen, fingerprint) != seen.end()) {
        return FailInvalid("the key {} is there twice; send it once", fingerprint);
      }
      seen.emplace_back(fingerprint);
    }
    return std::move(rings_);
  }

 private:
  std::vector<KeyRing> rings_;
};

bool MayStandInKey(Tag tag) {
  return tag == Tag::kSignature || tag == Tag::kPublicKey || tag == Tag::kUserId ||
         tag == Tag::kPublicSubkey || tag == Tag::kUserAttribute;
}

}  // namespace

Result<std::vector<KeyRing>> ReadKeyRings(std::string_view text) {
  RETURN_IF_ERROR(RefuseSecretKeys(text));
  if (text.size() > kMaxKeyText) {
    return FailInvalid("the keys have {} bytes; the limit is {}", text.size(), kMaxKeyText);
  }
  ASSIGN_OR_RETURN(const std::vector<ArmorBlock> blocks, ReadArmor(text));
  if (blocks.empty()) {
    return FailInvalid(
        "this text has no OpenPGP key; send the output of gpg --armor --export KEY, from "
        "its BEGIN line to its END line");
  }
  RingBuilder builder;
  for (const ArmorBlock& block : blocks) {
    if (block.label != kPublicKeyLabel) {
      return FailInvalid(
          "an armored block is not a public key; send the output of gpg --armor --export KEY");
    }
    const auto read = ReadPackets(block.bytes);
    if (!read) {
      return Fail(ErrorKind::kInvalid, read.error().message + "; export the key again");
    }
    const std::vector<Packet>& packets = *read;
    if (packets.empty()) {
      return FailInvalid("an armored block is empty; export the key again");
    }
    if (packets.front().tag != Tag::kPublicKey) return NoPlaceFor(packets.front().tag);
    for (const Packet& packet : packets) {
      if (!MayStandInKey(packet.tag)) return NoPlaceFor(packet.tag);
      RETURN_IF_ERROR(builder.Add(packet));
    }
  }
  return builder.Finish();
}

const KeyFacts* KeyRingFacts::FindKey(std::string_view fingerprint) const {
  const auto found = std::ranges::find(keys, fingerprint, &KeyFacts::fingerprint);
  return found == keys.end() ? nullptr : &*found;
}

// What librnp finds out about a key: it verifies self-signatures, bindings and revocations.

namespace {

constexpr std::size_t kMaxUserIds = 32;  // told; a key may have more
constexpr std::size_t kMaxUserIdSize = 256;

Failure Unusable(const KeyRing& ring) {
  return FailInvalid(
      "the OpenPGP key {} cannot be parsed; export it again with gpg --armor "
      "--export",
      ring.keys.front().fingerprint);
}

// A question of rnp's that answers yes or no; an unanswered one is a no.
template <auto Ask>
bool Is(rnp_key_handle_t key) {
  bool answer = false;
  return Ask(key, &answer) == RNP_SUCCESS && answer;
}

Result<KeyFacts> FactsOf(rnp_key_handle_t key, UnixSeconds now) {
  char* text = nullptr;
  RETURN_IF_ERROR(RnpOk(rnp_key_get_fprint(key, &text), "rnp_key_get_fprint"));
  const RnpText fingerprint(text);
  std::uint32_t created = 0;
  std::uint32_t lasts = 0;
  RETURN_IF_ERROR(RnpOk(rnp_key_get_creation(key, &created), "rnp_key_get_creation"));
  RETURN_IF_ERROR(RnpOk(rnp_key_get_expiration(key, &lasts), "rnp_key_get_expiration"));
  KeyFacts facts{.fingerprint = fingerprint.get()};
  if (lasts != 0) facts.expires_at = UnixSeconds{created} + lasts;
  facts.expired = facts.expires_at && *facts.expires_at <= now;
  facts.revoked = Is<rnp_key_is_revoked>(key);
  // rnp calls no key valid that has expired or is revoked.
  facts.is_bound = Is<rnp_key_is_valid>(key) || facts.expired || facts.revoked;
  bool may_sign = false;
  facts.may_sign = rnp_key_allows_usage(key, "sign", &may_sign) == RNP_SUCCESS && may_sign;
  return facts;
}

std::vector<std::string> UserIdsOf(rnp_key_handle_t key) {
  std::vector<std::string> user_ids;
  std::size_t count = 0;
  if (rnp_key_get_uid_count(key, &count) != RNP_SUCCESS) return {};
  for (std::size_t i = 0; i < count && user_ids.size() < kMaxUserIds; ++i) {
    rnp_uid_handle_t located = nullptr;
    if (rnp_key_get_uid_handle_at(key, i, &located) != RNP_SUCCESS) continue;
    const RnpUserId user_id(located);
    std::uint32_t type = 0;
    void* data = nullptr;
    std::size_t size = 0;
    if (rnp_uid_get_type(user_id.get(), &type) != RNP_SUCCESS || type != RNP_USER_ID ||
        rnp_uid_get_data(user_id.get(), &data, &size) != RNP_SUCCESS) {
      continue;
    }
    const Handle<void, rnp_buffer_destroy> freed(data);
    user_ids.push_back(
        Printable(std::string_view(static_cast<const char*>(data), size), kMaxUserIdSize));
  }
  return user_ids;
}

}  // namespace

Result<KeyRingFacts> ReadFacts(const KeyRing& ring, UnixSeconds now) {
  const QuietStderr quiet;
  ASSIGN_OR_RETURN(RnpSession session, RnpSession::Open(now));
  if (!session.Import(ring.bytes, RNP_LOAD_SAVE_PUBLIC_KEYS)) return Unusable(ring);
  const RnpKey primary = session.PrimaryKey();
  if (primary == nullptr) return Unusable(ring);
  KeyRingFacts facts;
  ASSIGN_OR_RETURN(KeyFacts primary_facts, FactsOf(primary.get(), now));
  if (primary_facts.fingerprint != ring.keys.front().fingerprint) return Unusable(ring);
  facts.user_ids = UserIdsOf(primary.get());
  facts.keys.push_back(std::move(primary_facts));
  std::size_t subkeys = 0;
  RETURN_IF_ERROR(
      RnpOk(rnp_key_get_subkey_count(primary.get(), &subkeys), "rnp_key_get_subkey_count"));
  for (std::size_t i = 0; i < subkeys; ++i) {
    rnp_key_handle_t located = nullptr;
    RETURN_IF_ERROR(
        RnpOk(rnp_key_get_subkey_at(primary.get(), i, &located), "rnp_key_get_subkey_at"));
    const RnpKey subkey(located);
    ASSIGN_OR_RETURN(KeyFacts subkey_facts, FactsOf(subkey.get(), now));
    facts.keys.push_back(std::move(subkey_facts));
  }
  return facts;
}

}  // namespace koya::signing
