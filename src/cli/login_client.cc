#include "cli/login_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "auth/token.h"
#include "base/base64.h"
#include "base/sha256.h"
#include "base/text.h"

namespace koya::cli {
namespace {

using FormFields = std::vector<std::pair<std::string, std::string>>;

std::string EncodeForm(const FormFields& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    text += (text.empty() ? "" : "&") + name + "=" + http::PercentEncode(value);
  }
  return text;
}

// Clients take localhost for the loopback address, and servers compare the text.
std::string RedirectUri(std::uint16_t port) {
  return fmt::format("http://localhost:{}/login", port);
}

http::ClientRequest FormRequest(const http::Url& url, const FormFields& fields) {
  http::ClientRequest request;
  request.method = "POST";
  request.url = url.ToString();
  request.fields = {{"Content-Type", "application/x-www-form-urlencoded"},
                    {"Accept", "application/json"}};
  request.body = EncodeForm(fields);
  request.total_timeout = std::chrono::seconds(30);
  return request;
}

Error CodeRefused(const http::ClientResponse& response, const http::Url& url) {
  auto refusal = wire::DecodeOAuthError(response.body);
  if (!refusal) return AnswerError(response, "POST " + http::PlaceOf(url), false);
  std::string words = Printable(refusal->error);
  if (!refusal->error_description.empty()) {
    words += ": " + Printable(refusal->error_description, 500);
  }
  return {
      ErrorKind::kUnauthenticated,
      fmt::format(
          "the server issued no token: {}\n  where: POST {} answered {}\n  to do: sign in again",
          words, http::PlaceOf(url), response.status),
      {}};
}

}  // namespace

LoginSecrets MakeLoginSecrets() {
  // Two of 22 characters: a verifier has 43 to 128 (RFC 7636 §4.1).
  return {.state = auth::RandomId(), .verifier = auth::RandomId() + auth::RandomId()};
}

std::string ChallengeOf(std::string_view verifier) { return Base64UrlEncode(Sha256(verifier)); }

LoginClient::LoginClient(RegistryClientOptions options) : options_(std::move(options)) {
  options_.token.clear();
}

Result<http::Url> LoginClient::Resolve(const std::string& reference) const {
  http::Url base = options_.server;
  base.path = "/.well-known/terraform.json";
  ASSIGN_OR_RETURN(http::Url url, http::ResolveUrl(base, reference));
  bool plain = url.scheme == "http" &&
               (url.Origin() == options_.server.Origin() || http::IsLoopbackHost(url.host));
  if ((url.scheme == "https" || plain) && !url.has_user_info) return url;
  return Fail(
      ErrorKind::kInvalid,
      fmt::format("{} redirects sign-ins to {}, which is not https: secrets are not sent there",
                  options_.server.Origin(), Printable(http::PlaceOf(url))));
}

Status LoginClient::Discover() {
  ApiClient api(options_);
  ASSIGN_OR_RETURN(std::string body, api.Get("/.well-known/terraform.json"));
  ASSIGN_OR_RETURN(auto service, wire::DecodeLoginService(body));
  if (!service) {
    return Fail(ErrorKind::kNotFound,
                fmt::format("{} does not support login: get a token, and store it with \"koya "
                            "login {} --token-stdin\"",
                            options_.server.Origin(), options_.server.Origin()));
  }
  if (std::ranges::count(service->grant_types, "authz_code") == 0) {
    return Fail(
        ErrorKind::kInvalid,
        fmt::format(
            "{} does not support login by code (\"authz_code\"), the only way that koya supports",
            options_.server.Origin()));
  }
  service_ = *std::move(service);
  ASSIGN_OR_RETURN(authorize_, Resolve(service_.authz));
  ASSIGN_OR_RETURN(token_, Resolve(service_.token));
  return {};
}

std::string LoginClient::PageUrl(const LoginSecrets& secrets, std::uint16_t port,
                                 Scope scope) const {
  http::Url page = authorize_;
  page.query += page.query.empty() ? "" : "&";
  page.query += EncodeForm({{"client_id", service_.client},
                            {"code_challenge", ChallengeOf(secrets.verifier)},
                            {"code_challenge_method", "S256"},
                            {"redirect_uri", RedirectUri(port)},
                            {"response_type", "code"},
                            {"scope", std::string(ScopeName(scope))},
                            {"state", secrets.state}});
  return page.ToString();
}

Result<wire::AccessToken> LoginClient::Exchange(const LoginSecrets& secrets, std::uint16_t port,
                                                const std::string& code) {
  http::Client client(options_.http);
  http::ClientRequest request = FormRequest(token_, {{"client_id", service_.client},
                                                     {"code", code},
                                                     {"code_verifier", secrets.verifier},
                                                     {"grant_type", "authorization_code"},
                                                     {"redirect_uri", RedirectUri(port)}});
  ASSIGN_OR_RETURN(http::ClientResponse response, client.Send(request));
  if (response.status != 200) return Failure(CodeRefused(response, token_));
  return wire::DecodeAccessToken(response.body);
}

Status CheckTokenWithServer(const RegistryClientOptions& options) {
  ApiClient api(options);
  constexpr std::string_view kPath = "/v1/modules?limit=1";
  ASSIGN_OR_RETURN(http::ClientResponse response, api.Exchange({}, kPath));
  // A token of few rights may not read that; it is a token all the same.
  if (response.status < 300 || response.status == 403 || response.status == 404) return {};
  return std::unexpected(api.Explain(response, "GET", kPath));
}

Status RevokeWithServer(const RegistryClientOptions& options) {
  RegistryClientOptions bare = options;
  bare.token.clear();
  ApiClient api(bare);
  http::ClientRequest request;
  request.method = "POST";
  request.fields = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = EncodeForm({{"token", options.token}, {"token_type_hint", "access_token"}});
  request.total_timeout = std::chrono::seconds(30);
  Result<http::ClientResponse> response = api.Call(std::move(request), "/oauth/revoke");
  if (!response) return std::unexpected(std::move(response).error());
  return {};
}

}  // namespace koya::cli
