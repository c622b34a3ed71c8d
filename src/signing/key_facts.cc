// What librnp finds out about a key: it verifies self-signatures, bindings and revocations.
#include <fmt/format.h>
#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

#include "base/text.h"
#include "signing/key_ring.h"
#include "signing/rnp_session.h"

namespace koya::signing {
namespace {

constexpr std::size_t kMaxUserIds = 32;  // told; a key may have more
constexpr std::size_t kMaxUserIdSize = 256;

Failure Unusable(const KeyRing& ring) {
  return Fail(ErrorKind::kInvalid,
              fmt::format("the OpenPGP key {} cannot be parsed; export it again with gpg --armor "
                          "--export",
                          ring.keys.front().fingerprint));
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
