#include "wire/identity.h"

#include <algorithm>

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<TrustRequest> =
    Document("the request", OrAbsent("issuer", &TrustRequest::issuer),
             OrAbsent("claims", &TrustRequest::claims), OrAbsent("github", &TrustRequest::github),
             OrAbsent("gitlab", &TrustRequest::gitlab), OrAbsent("ref", &TrustRequest::ref),
             OrAbsent("environment", &TrustRequest::environment),
             OrAbsent("unprotected", &TrustRequest::unprotected),
             OrAbsent("own_issuer", &TrustRequest::own_issuer));

template <>
constexpr auto kDocument<Trust> =
    Document("the trust", Required("id", &Trust::id), Required("namespace", &Trust::ns),
             Required("issuer", &Trust::issuer), Optional("claims", &Trust::claims),
             OrNull("created", &Trust::created), OrNull("created_by", &Trust::created_by),
             Optional("any_ref", &Trust::any_ref));

template <>
constexpr auto kDocument<TokenExchange> =
    Document("the request", Required("token", &TokenExchange::token),
             Required("namespace", &TokenExchange::ns));

template <>
constexpr auto kDocument<ExchangedToken> = Document(
    "the response", Required("token", &ExchangedToken::token),
    Required("expires", &ExchangedToken::expires), Required("namespace", &ExchangedToken::ns));

KOYA_DOCUMENT(TrustRequest);
KOYA_DOCUMENT(Trust);
KOYA_DOCUMENT(TrustList);

KOYA_DOCUMENT(TokenExchange);
KOYA_DOCUMENT(ExchangedToken);

Result<std::string> DecodeCiToken(std::string_view body) {
  return DecodeText("the response", "value", body);
}

std::string EncodeProvenance(const Provenance& provenance) {
  return boost::json::serialize(WriteValue(provenance));
}
Result<Provenance> DecodeProvenance(std::string_view text) {
  if (text.empty()) return Provenance();
  ASSIGN_OR_RETURN(const boost::json::object object, ParseObject("the provenance", text));
  return ReadTextMap(object);
}

bool HasClaims(std::string_view provenance) {
  if (!provenance.contains("imported_from")) return !provenance.empty();
  const Provenance claims = DecodeProvenance(provenance).value_or(Provenance());
  return std::ranges::any_of(
      claims, [](const auto& claim) { return !claim.first.starts_with("imported_"); });
}

void AddTrustSchemas(SchemaList& list) {
  AddSchema<TrustRequest>(list);
  AddSchema<Trust>(list);
  AddSchema<TokenExchange>(list);
  AddSchema<ExchangedToken>(list);
}

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
