// Parts shared by several documents about providers. Included by wire's .cc files only.
#pragma once

#include "wire/document.h"
#include "wire/providers.h"

namespace koya::wire {

template <>
constexpr inline auto kDocument<PlatformName> = Document(
    "the platform", Required("os", &PlatformName::os), Required("arch", &PlatformName::arch));

// No client decodes platforms and times, so malformed ones never invalidate a version.
template <>
constexpr inline auto kDocument<ProviderVersion> =
    Document("the list of provider versions", Required("version", &ProviderVersion::version),
             Optional("protocols", &ProviderVersion::protocols),
             Lenient("platforms", &ProviderVersion::platforms),
             Lenient("discovered", &ProviderVersion::discovered, Empty::kLeftOut));

// The public registries' format of a key: a missing trust signature is "", a missing source_url is
// null.
template <>
constexpr inline auto kDocument<SigningKey> = Document(
    "the signing keys", Optional("key_id", &SigningKey::key_id),
    Optional("ascii_armor", &SigningKey::ascii_armor),
    Optional("trust_signature", &SigningKey::trust_signature),
    Optional("source", &SigningKey::source), OrNull("source_url", &SigningKey::source_url));

// {"gpg_public_keys": […]}
struct SigningKeys {
  std::vector<SigningKey> keys;
};
template <>
constexpr inline auto kDocument<SigningKeys> =
    Document("the signing keys", Optional("gpg_public_keys", &SigningKeys::keys));

}  // namespace koya::wire
