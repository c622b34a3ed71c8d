#include "oidc/authorization_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>

#include "base/encoding.h"
#include "base/sha256.h"
#include "base/text.h"
#include "http/url.h"

namespace koya::oidc {
namespace {

using FormField = std::pair<std::string_view, std::string_view>;

std::string FormOf(std::initializer_list<FormField> fields) {
  std::string form;
  for (const auto& [name, value] : fields) {
    if (!form.empty()) form += '&';
    form += fmt::format("{}={}", name, http::PercentEncode(value));
  }
  return form;
}

bool Takes(const std::vector<std::string>& methods, std::string_view method) {
  return std::ranges::find(methods, method) != methods.end();
}

}  // namespace

std::string CodeChallenge(std::string_view verifier) { return Base64UrlEncode(Sha256(verifier)); }

std::string AuthorizationUrl(const DiscoveryDocument& document, const ClientAtIssuer& client,
                             const SignInSecrets& secrets, std::string_view extra_scope) {
  std::string scope = "openid profile email";
  const bool known = std::ranges::find(document.scopes, extra_scope) != document.scopes.end();
  if (known && !extra_scope.empty()) scope += fmt::format(" {}", extra_scope);
  const std::string challenge = CodeChallenge(secrets.verifier);
  const std::string& endpoint = document.authorization_endpoint;
  return endpoint + (endpoint.contains('?') ? '&' : '?') +
         FormOf({{"response_type", "code"},
                 {"client_id", client.id},
                 {"redirect_uri", client.redirect_uri},
                 {"scope", scope},
                 {"state", secrets.state},
                 {"nonce", secrets.nonce},
                 {"code_challenge", challenge},
                 {"code_challenge_method", "S256"}});
}

Result<TokenRequest> MakeTokenRequest(const DiscoveryDocument& document,
                                      const ClientAtIssuer& client, std::string_view code,
                                      std::string_view verifier) {
  TokenRequest request{.form = FormOf({{"grant_type", "authorization_code"},
                                       {"code", code},
                                       {"redirect_uri", client.redirect_uri},
                                       {"code_verifier", verifier}}),
                       .authorization = {}};
  const std::vector<std::string>& methods = document.token_auth_methods;
  const std::string named = "&" + FormOf({{"client_id", client.id}});
  if (client.secret.empty()) {
    request.form += named;
    return request;
  }
  // Basic is what holds where nothing is said (OpenID Connect Discovery §3).
  if (methods.empty() || Takes(methods, "client_secret_basic")) {
    const std::string pair =
        http::PercentEncode(client.id) + ":" + http::PercentEncode(client.secret);
    request.authorization = "Basic " + Base64Encode(std::as_bytes(std::span(pair)));
    return request;
  }
  if (Takes(methods, "client_secret_post")) {
    request.form += named + "&" + FormOf({{"client_secret", client.secret}});
    return request;
  }
  return FailBadUpstream(
      "the issuer \"{}\" accepts client secrets neither by HTTP Basic nor in a "
      "form (it says: {}): allow client_secret_basic there",
      document.issuer, Printable(Listed(methods, 5)));
}

Status CheckAnsweringIssuer(const DiscoveryDocument& document, std::string_view iss) {
  if (iss == document.issuer || (iss.empty() && !document.names_itself)) return {};
  return Fail(
      ErrorKind::kUnauthenticated,
      iss.empty()
          ? fmt::format(
                "the response does not name its issuer \"{}\", which always does: sign in again",
                document.issuer)
          : fmt::format(
                "the response is from \"{}\", but the request went to \"{}\": sign in again",
                Printable(iss), document.issuer));
}

}  // namespace koya::oidc
