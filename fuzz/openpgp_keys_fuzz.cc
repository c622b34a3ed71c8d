// OpenPGP public keys: the first byte says whether the rest is text or the inside of an armored
// block. An accepted key reads back from its own armor as the same key, and no secret is in it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "signing/armor.h"
#include "signing/openpgp.h"
#include "signing/packets.h"

namespace {

namespace signing = koya::signing;

constexpr koya::UnixSeconds kNow = 1'733'011'200;

void Must(bool holds) {
  if (!holds) std::abort();
}

void CheckText(std::string_view text) {
  const auto keys = signing::ReadPublicKeys(text, kNow);
  if (!keys) {
    Must(keys.error().kind == koya::ErrorKind::kInvalid && !keys.error().message.empty());
    return;
  }
  Must(!keys->empty());
  for (const signing::PublicKey& key : *keys) {
    Must(key.fingerprint.size() == 40 && key.fingerprint.ends_with(key.key_id));
    Must(!key.user_ids.empty());
    // A key ends with its last signer too: it signs nothing then, and its primary may live on.
    const bool ended = key.expires_at && *key.expires_at <= kNow;
    Must(ended || !key.expired);
    Must(!ended || key.expired || !key.can_sign);
    Must(key.expired_signer.empty() || (ended && !key.can_sign));
    const auto blocks = signing::ReadArmor(key.armor);
    Must(blocks && blocks->size() == 1 && !signing::HoldsSecretKey(blocks->front().bytes));
    const auto again = signing::ReadPublicKeys(key.armor, kNow);
    Must(again && again->size() == 1);
    Must(again->front().fingerprint == key.fingerprint && again->front().armor == key.armor);
    Must(again->front().can_sign == key.can_sign && again->front().revoked == key.revoked);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  CheckText(data[0] % 2 == 0 ? std::string(rest)
                             : signing::WriteArmor(signing::kPublicKeyLabel, rest));
  return 0;
}
