#include "wire/sign_in.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

namespace json = boost::json;

template <>
constexpr auto kDocument<SetupRequest> = Document(
    "the set-up request", Required("token", &SetupRequest::token),
    Required("user", &SetupRequest::user), Required("password", &SetupRequest::password),
    OrAbsent("visibility", &SetupRequest::visibility), OrAbsent("name", &SetupRequest::name));

template <>
constexpr auto kDocument<Session> = Document(
    "the session", Required("id", &Session::id), Required("user", &Session::user),
    Required("method", &Session::method), OrNull("address", &Session::address),
    OrNull("user_agent", &Session::user_agent), Required("created_at", &Session::created_at),
    Required("expires_at", &Session::expires_at), OrNull("last_used_at", &Session::last_used_at));

template <>
constexpr auto kDocument<EndedSessions> =
    Document("the number of ended sessions", Required("ended", &EndedSessions::ended));

template <>
constexpr auto kDocument<Caller> =
    Document("the caller", Required("server", &Caller::server), OrNull("account", &Caller::account),
             Required("kind", &Caller::kind), Required("token", &Caller::token),
             Required("scope", &Caller::scope), Optional("namespaces", &Caller::namespaces),
             OrNull("expires", &Caller::expires));

template <>
constexpr auto kDocument<AccessToken> = Document(
    "the token response", Required("access_token", &AccessToken::access_token),
    Required("token_type", &AccessToken::token_type),
    Optional("expires_in", &AccessToken::expires_in), OrAbsent("scope", &AccessToken::scope));

template <>
constexpr auto kDocument<OAuthError> =
    Document("the token error", Required("error", &OAuthError::error),
             OrAbsent("error_description", &OAuthError::error_description));

KOYA_DOCUMENT(SetupRequest);

template <>
std::string Encode(const PasswordRequest& request) {
  json::object out;
  if (request.password) {
    out["password"] = *request.password;
  } else {
    out["password"] = nullptr;
  }
  if (!request.old_password.empty()) out["old_password"] = request.old_password;
  return json::serialize(out);
}

template <>
Result<PasswordRequest> Decode(std::string_view body) {
  constexpr std::string_view kWhat = "the password request";
  ASSIGN_OR_RETURN(json::object object, ParseObject(kWhat, body, {.unique_members = true}));
  const json::value* password = object.if_contains("password");
  if (password == nullptr || !(password->is_null() || password->is_string())) {
    return MustBe(kWhat, "password", "a string, or null to remove it");
  }
  PasswordRequest request;
  if (password->is_string()) request.password = std::string(password->get_string());
  ASSIGN_OR_RETURN(request.old_password, OptionalString(kWhat, object, "old_password"));
  return request;
}

KOYA_DOCUMENT(Caller);
KOYA_DOCUMENT(SessionList);

KOYA_DOCUMENT(EndedSessions);
KOYA_DOCUMENT(AccessToken);
KOYA_DOCUMENT(OAuthError);

// ---- login.v1

namespace {

constexpr std::string_view kLogin = "login.v1";

// Clients take [first, last], two numbers.
Status ReadPorts(const json::object& object, LoginService& out) {
  const json::value* ports = object.if_contains("ports");
  if (ports == nullptr || ports->is_null()) {
    out.first_port = 1024;
    out.last_port = 65'535;
    return {};
  }
  constexpr std::string_view kWanted = "two ports from 1024 to 65535, the lower first";
  if (!ports->is_array() || ports->get_array().size() != 2) {
    return MustBe(kLogin, "ports", kWanted);
  }
  std::uint16_t read[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    boost::system::error_code failed;
    read[i] = ports->get_array()[i].to_number<std::uint16_t>(failed);
    if (failed) return MustBe(kLogin, "ports", kWanted);
  }
  if (read[0] < 1024 || read[0] > read[1]) return MustBe(kLogin, "ports", kWanted);
  out.first_port = read[0];
  out.last_port = read[1];
  return {};
}

Result<LoginService> ReadLoginService(const json::object& object) {
  LoginService out;
  ASSIGN_OR_RETURN(out.client, RequiredString(kLogin, object, "client"));
  ASSIGN_OR_RETURN(out.authz, RequiredString(kLogin, object, "authz"));
  ASSIGN_OR_RETURN(out.token, RequiredString(kLogin, object, "token"));
  ASSIGN_OR_RETURN(out.grant_types, OptionalStrings(kLogin, object, "grant_types"));
  if (out.grant_types.empty()) out.grant_types = {"authz_code"};
  RETURN_IF_ERROR(ReadPorts(object, out));
  return out;
}

}  // namespace

std::string EncodeLoginService(const LoginService& service) {
  json::object out;
  out["client"] = service.client;
  out["grant_types"] = WriteValue(service.grant_types);
  out["authz"] = service.authz;
  out["token"] = service.token;
  out["ports"] = json::array{service.first_port, service.last_port};
  return json::serialize(out);
}

Result<std::optional<LoginService>> DecodeLoginService(std::string_view discovery) {
  ASSIGN_OR_RETURN(json::object object,
                   ParseObject("the discovery document", discovery, {.storage = kForeignStorage}));
  const json::value* login = object.if_contains(kLogin);
  if (login == nullptr || login->is_null()) return std::optional<LoginService>();
  if (!login->is_object()) return MustBe("the discovery document", kLogin, "an object");
  ASSIGN_OR_RETURN(LoginService service, ReadLoginService(login->get_object()));
  return std::optional(std::move(service));
}

void AddSignInSchemas(SchemaList& list) {
  AddSchema<SetupRequest>(list);
  AddSchema<Session>(list);
  AddSchema<Caller>(list);
  AddSchema<AccessToken>(list);
  AddSchema<OAuthError>(list);
  AddShape(list, "PasswordRequest", "{password: text | null, old_password?: text}");
}

}  // namespace koya::wire
