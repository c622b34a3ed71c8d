#include "oidc/discovery_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "http/url.h"
#include "wire/foreign/openid.h"

namespace koya::oidc {
namespace {

constexpr std::size_t kMostUrlBytes = 2048;

Failure BadUrl(std::string_view what, std::string_view url, std::string_view why) {
  return FailInvalid("{} \"{}\" {}", what, Printable(url), why);
}

// URL parsers disagree on characters outside of this alphabet, and on URLs without slashes.
bool IsPlainUrl(std::string_view url) {
  return (url.starts_with("https://") || url.starts_with("http://")) && !url.contains(":///") &&
         url.size() <= kMostUrlBytes &&
         std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f' && c != '\\'; });
}

// An https URL, or http to this machine.
Result<http::Url> ReadSafeUrl(std::string_view what, std::string_view text) {
  if (!IsPlainUrl(text)) return BadUrl(what, text, "is not a URL that begins with https://");
  auto url = http::ParseUrl(text);
  if (!url) return BadUrl(what, text, "is not a URL");
  if (url->scheme != "https" && !http::IsLoopbackHost(url->host)) {
    return BadUrl(what, text, "must be https: with http, it could be changed in transit");
  }
  if (url->has_user_info) return BadUrl(what, text, "must not hold a user or a password");
  if (text.contains('#')) return BadUrl(what, text, "must not have a fragment");
  return url;
}

// `text` may be "".
Status CheckEndpoint(std::string_view issuer, std::string_view name, std::string_view text) {
  if (text.empty()) return {};
  ASSIGN_OR_RETURN(const http::Url url, ReadSafeUrl(name, text));
  if (url.scheme == "http" && issuer.starts_with("https:")) {
    return BadUrl(name, text, "must be https, as its issuer is");
  }
  return {};
}

Result<std::vector<Algorithm>> ReadAlgorithms(const std::vector<std::string>& names) {
  std::vector<Algorithm> out;
  for (const std::string& name : names) {
    if (const auto algorithm = ParseAlgorithm(name)) out.push_back(*algorithm);
  }
  if (out.empty() && !names.empty()) {
    return FailInvalid(
        "the issuer signs its tokens with {}, which Koya "
        "does not accept: have it use one of {}",
        Printable(Listed(names, 5)), kAlgorithmNames);
  }
  return out;
}

}  // namespace

Status CheckIssuer(std::string_view issuer) {
  ASSIGN_OR_RETURN(const http::Url url, ReadSafeUrl("the issuer", issuer));
  if (issuer.contains('?')) return BadUrl("the issuer", issuer, "must not have a query");
  return {};
}

std::string DiscoveryUrl(std::string_view issuer) {
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return std::string(issuer) + "/.well-known/openid-configuration";
}

Result<DiscoveryDocument> ParseDiscoveryDocument(std::string_view issuer, std::string_view body) {
  RETURN_IF_ERROR(CheckIssuer(issuer));
  if (body.size() > kMaxDiscoveryBytes) {
    return FailLimit(
        ErrorKind::kInvalid, "fixed.openid_configuration_bytes",
        fmt::format("the OpenID configuration is larger than {} KiB", kMaxDiscoveryBytes >> 10));
  }
  ASSIGN_OR_RETURN(wire::OpenIdConfiguration read, wire::Decode<wire::OpenIdConfiguration>(body));
  if (read.issuer != issuer) {
    return FailInvalid(
        "the OpenID configuration is of the issuer \"{}\", not of \"{}\": "
        "write the issuer exactly like that, or use the right one",
        Printable(read.issuer), issuer);
  }
  RETURN_IF_ERROR(CheckEndpoint(issuer, "jwks_uri", read.jwks_uri));
  RETURN_IF_ERROR(CheckEndpoint(issuer, "authorization_endpoint", read.authorization_endpoint));
  RETURN_IF_ERROR(CheckEndpoint(issuer, "token_endpoint", read.token_endpoint));
  ASSIGN_OR_RETURN(std::vector<Algorithm> algorithms, ReadAlgorithms(read.signing_algorithms));
  return DiscoveryDocument{.issuer = std::move(read.issuer),
                           .jwks_uri = std::move(read.jwks_uri),
                           .authorization_endpoint = std::move(read.authorization_endpoint),
                           .token_endpoint = std::move(read.token_endpoint),
                           .algorithms = std::move(algorithms),
                           .code_challenge_methods = std::move(read.code_challenge_methods),
                           .token_auth_methods = std::move(read.token_auth_methods),
                           .scopes = std::move(read.scopes),
                           .names_itself = read.names_issuer};
}

Status CheckOffersSignIn(const DiscoveryDocument& document) {
  if (document.authorization_endpoint.empty() || document.token_endpoint.empty()) {
    return FailInvalid(
        "the issuer \"{}\" names no authorization_endpoint and token_endpoint: "
        "users cannot sign in with it",
        document.issuer);
  }
  const auto& methods = document.code_challenge_methods;
  if (!methods.empty() && std::ranges::find(methods, "S256") == methods.end()) {
    return FailInvalid("the issuer \"{}\" does not support PKCE with S256, which sign-in requires",
                       document.issuer);
  }
  return {};
}

}  // namespace koya::oidc
