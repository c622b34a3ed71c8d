#include "signing/openpgp.h"

#include <fmt/format.h>
#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

#include <algorithm>

#include "signing/armor.h"
#include "signing/key_ring.h"
#include "signing/packets.h"
#include "signing/rnp_session.h"

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
    return FailInvalid(
        "the OpenPGP key {} has no user id with a currently valid "
        "self-signature; export it again, and check this server's clock",
        packet.fingerprint);
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

Status Configure(rnp_op_generate_t operation, const std::string& user_id) {
  RETURN_IF_ERROR(
      RnpOk(rnp_op_generate_set_userid(operation, user_id.c_str()), "rnp_op_generate_set_userid"));
  RETURN_IF_ERROR(RnpOk(rnp_op_generate_clear_usage(operation), "rnp_op_generate_clear_usage"));
  for (const char* usage : {"sign", "certify"}) {
    RETURN_IF_ERROR(
        RnpOk(rnp_op_generate_add_usage(operation, usage), "rnp_op_generate_add_usage"));
  }
  RETURN_IF_ERROR(
      RnpOk(rnp_op_generate_set_expiration(operation, 0), "rnp_op_generate_set_expiration"));
  return RnpOk(rnp_op_generate_set_hash(operation, RNP_ALGNAME_SHA512), "rnp_op_generate_set_hash");
}

Result<std::string> Export(rnp_key_handle_t key, std::uint32_t flags) {
  ASSIGN_OR_RETURN(const RnpOutput output, RnpBuffer());
  RETURN_IF_ERROR(RnpOk(rnp_key_export(key, output.get(), flags), "rnp_key_export"));
  return TakeBytes(output);
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

Result<GeneratedKey> GenerateKey(std::string_view user_id, UnixSeconds now) {
  const QuietStderr quiet;
  ASSIGN_OR_RETURN(const RnpSession session, RnpSession::Open(now));
  rnp_op_generate_t made = nullptr;
  RETURN_IF_ERROR(RnpOk(rnp_op_generate_create(&made, session.ffi(), RNP_ALGNAME_EDDSA),
                        "rnp_op_generate_create"));
  const RnpGenerate operation(made);
  RETURN_IF_ERROR(Configure(operation.get(), std::string(user_id)));
  RETURN_IF_ERROR(RnpOk(rnp_op_generate_execute(operation.get()), "rnp_op_generate_execute"));
  rnp_key_handle_t located = nullptr;
  RETURN_IF_ERROR(
      RnpOk(rnp_op_generate_get_key(operation.get(), &located), "rnp_op_generate_get_key"));
  const RnpKey key(located);
  ASSIGN_OR_RETURN(const std::string armor,
                   Export(key.get(), RNP_KEY_EXPORT_PUBLIC | RNP_KEY_EXPORT_ARMORED));
  ASSIGN_OR_RETURN(std::vector<PublicKey> keys, ReadPublicKeys(armor, now));
  GeneratedKey generated{.public_key = std::move(keys.front()), .secret = {}};
  ASSIGN_OR_RETURN(generated.secret, Export(key.get(), RNP_KEY_EXPORT_SECRET));
  return generated;
}

Result<std::string> SignDetached(std::string_view data, std::string_view secret, UnixSeconds now) {
  const QuietStderr quiet;
  ASSIGN_OR_RETURN(RnpSession session, RnpSession::Open(now));
  const RnpKey key = session.Import(secret, RNP_LOAD_SAVE_SECRET_KEYS | RNP_LOAD_SAVE_PUBLIC_KEYS)
                         ? session.PrimaryKey()
                         : RnpKey();
  if (key == nullptr) {
    return Fail(ErrorKind::kInternal, "the server's signing key cannot be used",
                "import of the secret key");
  }
  const RnpInput input = RnpBytes(data);
  ASSIGN_OR_RETURN(const RnpOutput output, RnpBuffer());
  rnp_op_sign_t made = nullptr;
  RETURN_IF_ERROR(
      RnpOk(rnp_op_sign_detached_create(&made, session.ffi(), input.get(), output.get()),
            "rnp_op_sign_detached_create"));
  const RnpSign operation(made);
  RETURN_IF_ERROR(RnpOk(rnp_op_sign_set_armor(operation.get(), false), "rnp_op_sign_set_armor"));
  RETURN_IF_ERROR(
      RnpOk(rnp_op_sign_set_hash(operation.get(), RNP_ALGNAME_SHA512), "rnp_op_sign_set_hash"));
  RETURN_IF_ERROR(RnpOk(rnp_op_sign_add_signature(operation.get(), key.get(), nullptr),
                        "rnp_op_sign_add_signature"));
  RETURN_IF_ERROR(RnpOk(rnp_op_sign_execute(operation.get()), "rnp_op_sign_execute"));
  return TakeBytes(output);
}

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
