#include "wire/identity_providers.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<MappedGroup> =
    Document("the mapped group", Required("theirs", &MappedGroup::theirs),
             Required("ours", &MappedGroup::ours));

template <>
constexpr auto kDocument<IdentityProvider> =
    Document("the sign-in provider", Required("name", &IdentityProvider::name),
             Required("issuer", &IdentityProvider::issuer),
             Required("client_id", &IdentityProvider::client_id),
             OrAbsent("client_secret", &IdentityProvider::client_secret),
             OrNull("groups_claim", &IdentityProvider::groups_claim),
             Optional("groups", &IdentityProvider::groups),
             OrAbsent("callback", &IdentityProvider::callback),
             OrAbsent("created", &IdentityProvider::created),
             OrAbsent("created_by", &IdentityProvider::created_by),
             Optional("enabled", &IdentityProvider::enabled));

template <>
constexpr auto kDocument<IdentityProviderFinding> =
    Document("the finding", Optional("good", &IdentityProviderFinding::good),
             Required("text", &IdentityProviderFinding::text));

template <>
constexpr auto kDocument<IdentityProviderReport> =
    Document("the report", Required("name", &IdentityProviderReport::name),
             Optional("ok", &IdentityProviderReport::ok),
             Required("findings", &IdentityProviderReport::findings),
             Optional("enabled", &IdentityProviderReport::enabled));

KOYA_DOCUMENT(IdentityProvider);
KOYA_DOCUMENT(IdentityProviderList);
KOYA_DOCUMENT(IdentityProviderReport);

void AddIdentitySchemas(SchemaList& list) {
  AddSchema<IdentityProvider>(list);
  AddSchema<IdentityProviderReport>(list);
}

}  // namespace koya::wire
