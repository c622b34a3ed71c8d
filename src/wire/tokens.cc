#include "wire/tokens.h"

#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kRequest = "the token request";
constexpr std::string_view kToken = "the token";

json::object TokenObject(const Token& token) {
  json::object out;
  out["name"] = token.name;
  if (!token.token.empty()) out["token"] = token.token;
  out["scope"] = token.scope;
  out["namespaces"] = json::array(token.namespaces.begin(), token.namespaces.end());
  out["expires"] = TextOrNull(token.expires);
  out["created"] = TextOrNull(token.created);
  out["last_used"] = TextOrNull(token.last_used);
  return out;
}

Result<Token> ReadToken(const json::object& object) {
  Token out;
  ASSIGN_OR_RETURN(out.name, RequiredString(kToken, object, "name"));
  ASSIGN_OR_RETURN(out.token, OptionalString(kToken, object, "token"));
  ASSIGN_OR_RETURN(out.scope, RequiredString(kToken, object, "scope"));
  ASSIGN_OR_RETURN(out.namespaces, OptionalStrings(kToken, object, "namespaces"));
  ASSIGN_OR_RETURN(out.expires, OptionalString(kToken, object, "expires"));
  ASSIGN_OR_RETURN(out.created, OptionalString(kToken, object, "created"));
  ASSIGN_OR_RETURN(out.last_used, OptionalString(kToken, object, "last_used"));
  return out;
}

}  // namespace

std::string EncodeTokenRequest(const TokenRequest& request) {
  json::object out;
  out["name"] = request.name;
  out["scope"] = request.scope;
  out["namespaces"] = json::array(request.namespaces.begin(), request.namespaces.end());
  out["expires"] = TextOrNull(request.expires);
  return json::serialize(out);
}

Result<TokenRequest> DecodeTokenRequest(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kRequest, body));
  TokenRequest out;
  ASSIGN_OR_RETURN(out.name, RequiredString(kRequest, document, "name"));
  ASSIGN_OR_RETURN(out.scope, RequiredString(kRequest, document, "scope"));
  ASSIGN_OR_RETURN(out.namespaces, OptionalStrings(kRequest, document, "namespaces"));
  ASSIGN_OR_RETURN(out.expires, OptionalString(kRequest, document, "expires"));
  return out;
}

std::string EncodeToken(const Token& token) { return json::serialize(TokenObject(token)); }

Result<Token> DecodeToken(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kToken, body));
  return ReadToken(document);
}

std::string EncodeTokenList(const std::vector<Token>& tokens) {
  json::array list;
  for (const Token& token : tokens) list.push_back(TokenObject(token));
  json::object out;
  out["tokens"] = std::move(list);
  return json::serialize(out);
}

Result<std::vector<Token>> DecodeTokenList(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject("the list of tokens", body));
  return RequiredObjects<Token>("the list of tokens", document, "tokens", ReadToken);
}

}  // namespace koya::wire
