#include <fmt/format.h>

#include <algorithm>

#include "signing/armor.h"
#include "signing/key_ring.h"
#include "signing/openpgp.h"
#include "signing/packets.h"

namespace koya::signing {
namespace {

constexpr std::size_t kMaxSigners = 32;
constexpr std::string_view kHowToSign =
    "sign SHA256SUMS again, detached and binary, with gpg --detach-sign";

Failure Refuse(std::string_view what) { return FailInvalid("{}; {}", what, kHowToSign); }

Result<std::vector<SignaturePacket>> ReadSignatures(std::string_view bytes) {
  if (bytes.size() > kMaxSignature) {
    return Refuse(
        fmt::format("the signature has {} bytes; the limit is {}", bytes.size(), kMaxSignature));
  }
  if (bytes.empty()) return Refuse("the signature is empty");
  const auto packets = ReadPackets(bytes);
  if (!packets) return Refuse(packets.error().message);
  if (packets->size() > kMaxSigners) {
    return Refuse(fmt::format("the signature has {} OpenPGP packets; the limit is {}",
                              packets->size(), kMaxSigners));
  }
  std::vector<SignaturePacket> signatures;
  for (const Packet& packet : *packets) {
    if (packet.tag != Tag::kSignature) {
      return Refuse(
          fmt::format("the signature has an OpenPGP packet of kind {}, which is not a signature",
                      static_cast<unsigned>(packet.tag)));
    }
    ASSIGN_OR_RETURN(SignaturePacket signature, ParseSignature(packet.body));
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

Result<std::string> Dearmored(std::string_view text) {
  if (BeginsArmor(text, "SIGNED MESSAGE")) {
    return Refuse("the signature is a cleartext-signed message");
  }
  ASSIGN_OR_RETURN(std::vector<ArmorBlock> blocks, ReadArmor(text));
  if (blocks.size() != 1) {
    return Refuse(fmt::format("the signature has {} armored blocks", blocks.size()));
  }
  if (blocks.front().label != kSignatureLabel) {
    return Refuse("the armored block is not a signature");
  }
  return std::move(blocks.front().bytes);
}

bool IsNamedBy(const PublicKeyPacket& key, const SignaturePacket& signature) {
  return signature.issuer_fingerprint.empty() ? key.key_id() == signature.issuer_key_id
                                              : key.fingerprint == signature.issuer_fingerprint;
}

void TakeFacts(CheckedSignature& checked, const KeyRingFacts& ring, std::string_view signer) {
  const KeyFacts& primary = ring.keys.front();
  const KeyFacts* key = ring.FindKey(signer);
  if (key == nullptr) key = &primary;
  checked.key_expired = key->expired || primary.expired;
  checked.key_revoked = key->revoked || primary.revoked;
  checked.key_may_sign = key->may_sign && key->is_bound && ring.FindKey(signer) != nullptr;
}

class Checker {
 public:
  Checker(std::string_view data, UnixSeconds now) : data_(data), now_(now) {}

  Status AddKeys(std::string_view armor) {
    ASSIGN_OR_RETURN(std::vector<KeyRing> rings, ReadKeyRings(armor));
    for (KeyRing& ring : rings) rings_.push_back({.ring = std::move(ring), .facts = {}});
    return {};
  }

  Result<CheckedSignature> Check(const SignaturePacket& signature) {
    CheckedSignature checked{.key_id = signature.issuer_key_id,
                             .hash = HashName(signature.hash_algorithm),
                             .weak_hash = IsWeakHash(signature.hash_algorithm)};
    checked.signature_expired = signature.expires_at != 0 && signature.expires_at <= now_;
    for (Known& known : rings_) {
      for (const PublicKeyPacket& key : known.ring.keys) {
        if (checked.state == CheckedSignature::State::kGood || !IsNamedBy(key, signature)) continue;
        checked.state = Verifies(key, signature, data_) ? CheckedSignature::State::kGood
                                                        : CheckedSignature::State::kBad;
        checked.fingerprint = known.ring.keys.front().fingerprint;
        RETURN_IF_ERROR(LearnFacts(known));
        TakeFacts(checked, *known.facts, key.fingerprint);
      }
    }
    return checked;
  }

 private:
  struct Known {
    KeyRing ring;
    std::optional<KeyRingFacts> facts;  // costly: read when it has made a signature, and once
  };

  Status LearnFacts(Known& known) const {
    if (known.facts) return {};
    ASSIGN_OR_RETURN(known.facts, ReadFacts(known.ring, now_));
    return {};
  }

  std::string_view data_;
  UnixSeconds now_;
  std::vector<Known> rings_;
};

}  // namespace

Result<std::string> BinarySignature(std::string_view bytes) {
  if (bytes.size() > kMaxSignature) {
    return Refuse(
        fmt::format("the signature has {} bytes; the limit is {}", bytes.size(), kMaxSignature));
  }
  // Every packet begins with a byte of the upper half, which no text does.
  const bool is_binary = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0;
  std::string binary(bytes);
  if (!is_binary && BeginsArmor(bytes)) {
    ASSIGN_OR_RETURN(binary, Dearmored(bytes));
  }
  RETURN_IF_ERROR(ReadSignatures(binary));
  return binary;
}

Result<std::vector<CheckedSignature>> CheckSignatures(std::string_view data,
                                                      std::string_view signature,
                                                      std::span<const std::string> armors,
                                                      UnixSeconds now) {
  ASSIGN_OR_RETURN(const std::vector<SignaturePacket> signatures, ReadSignatures(signature));
  Checker checker(data, now);
  for (const std::string& armor : armors) RETURN_IF_ERROR(checker.AddKeys(armor));
  std::vector<CheckedSignature> checked;
  for (const SignaturePacket& packet : signatures) {
    ASSIGN_OR_RETURN(CheckedSignature one, checker.Check(packet));
    checked.push_back(std::move(one));
  }
  return checked;
}

}  // namespace koya::signing
