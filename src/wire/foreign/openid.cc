#include "wire/foreign/openid.h"

#include <utility>

#include "wire/document.h"

namespace koya::wire {

// Members that these do not declare take no memory: certificates in key sets, lists in
// configurations.
constexpr std::size_t kKeySetStorage = 4 << 20;

template <>
constexpr auto kDocument<JsonWebKey> = Document(
    "the key", Required("kty", &JsonWebKey::kty), Optional("kid", &JsonWebKey::kid),
    Optional("use", &JsonWebKey::use), Optional("key_ops", &JsonWebKey::key_ops),
    Optional("alg", &JsonWebKey::alg), Optional("crv", &JsonWebKey::crv),
    Optional("n", &JsonWebKey::n), Optional("e", &JsonWebKey::e), Optional("x", &JsonWebKey::x),
    Optional("y", &JsonWebKey::y), Optional("d", &JsonWebKey::d));

template <>
constexpr auto kDocument<OpenIdConfiguration> =
    Document(
        "the OpenID configuration", Required("issuer", &OpenIdConfiguration::issuer),
        Optional("authorization_endpoint", &OpenIdConfiguration::authorization_endpoint),
        Optional("token_endpoint", &OpenIdConfiguration::token_endpoint),
        Required("jwks_uri", &OpenIdConfiguration::jwks_uri),
        Optional("id_token_signing_alg_values_supported", &OpenIdConfiguration::signing_algorithms),
        Optional("code_challenge_methods_supported", &OpenIdConfiguration::code_challenge_methods),
        Optional("token_endpoint_auth_methods_supported", &OpenIdConfiguration::token_auth_methods),
        Optional("scopes_supported", &OpenIdConfiguration::scopes),
        Optional("authorization_response_iss_parameter_supported",
                 &OpenIdConfiguration::names_issuer))
        .Within({.storage = kKeySetStorage});

template <>
constexpr auto kDocument<TokenEndpointAnswer> =
    Document("the token endpoint's response", Optional("id_token", &TokenEndpointAnswer::id_token),
             Optional("error", &TokenEndpointAnswer::error),
             Optional("error_description", &TokenEndpointAnswer::error_description));

namespace {

namespace json = boost::json;

constexpr std::string_view kKeySetName = "the key set";
constexpr std::string_view kHeaderName = "the token's header";
constexpr std::string_view kClaimsName = "the token's claims";
constexpr std::string_view kKeyMembers[] = {"keys", "kty", "kid", "use", "key_ops", "alg",
                                            "crv",  "n",   "e",   "x",   "y",       "d"};
constexpr std::size_t kTokenStorage = 2 << 20;

ClaimValue ReadTexts(const json::array& elements) {
  std::vector<std::string> texts;
  for (const json::value& each : elements) {
    if (!each.is_string()) return std::monostate();
    texts.emplace_back(each.get_string().data(), each.get_string().size());
  }
  return texts;
}

ClaimValue ReadClaim(const json::value& value) {
  switch (value.kind()) {
    case json::kind::bool_:
      return value.get_bool();
    case json::kind::int64:
      return value.get_int64();
    case json::kind::uint64:  // beyond what the signed one holds
      return static_cast<double>(value.get_uint64());
    case json::kind::double_:
      return value.get_double();
    case json::kind::string:
      return std::string(value.get_string().data(), value.get_string().size());
    case json::kind::array:
      return ReadTexts(value.get_array());
    case json::kind::null:
    case json::kind::object:
      return std::monostate();
  }
  return std::monostate();
}

}  // namespace

Result<JsonWebKeys> DecodeJsonWebKeys(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kKeySetName, body, {kKeyMembers, kKeySetStorage}));
  ASSIGN_OR_RETURN(const json::array* elements, RequiredArray(kKeySetName, document, "keys"));
  JsonWebKeys out;
  for (const json::value& each : *elements) {
    Result<JsonWebKey> key = MustBe(kKeySetName, "keys", "an array of objects");
    if (each.is_object()) key = ReadObject<JsonWebKey>(each.get_object());
    if (key) {
      out.keys.push_back(*std::move(key));
    } else {
      ++out.skipped;
    }
  }
  return out;
}

Result<JoseHeader> DecodeJoseHeader(std::string_view body) {
  ASSIGN_OR_RETURN(
      const json::object document,
      ParseObject(kHeaderName, body, {.storage = kTokenStorage, .unique_members = true}));
  JoseHeader out;
  ASSIGN_OR_RETURN(out.alg, RequiredString(kHeaderName, document, "alg"));
  ASSIGN_OR_RETURN(out.kid, OptionalString(kHeaderName, document, "kid"));
  ASSIGN_OR_RETURN(out.typ, OptionalString(kHeaderName, document, "typ"));
  ASSIGN_OR_RETURN(out.cty, OptionalString(kHeaderName, document, "cty"));
  out.critical = document.contains("crit");
  return out;
}

Result<ClaimValues> DecodeClaims(std::string_view body) {
  ASSIGN_OR_RETURN(
      const json::object document,
      ParseObject(kClaimsName, body, {.storage = kTokenStorage, .unique_members = true}));
  ClaimValues out;
  for (const auto& [name, value] : document) {
    out.emplace(std::string(name.data(), name.size()), ReadClaim(value));
  }
  return out;
}

template Result<OpenIdConfiguration> Decode(std::string_view);

template Result<TokenEndpointAnswer> Decode(std::string_view);

}  // namespace koya::wire
