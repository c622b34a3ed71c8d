#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

#include <algorithm>

#include "signing/armor.h"
#include "signing/key_ring.h"
#include "signing/openpgp.h"
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

}  // namespace koya::signing
