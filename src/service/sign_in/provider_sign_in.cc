#include "service/sign_in/provider_sign_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "auth/principal.h"
#include "auth/token.h"
#include "base/secrets.h"
#include "base/text.h"
#include "catalog/sign_in_catalog.h"
#include "oidc/authorization_code.h"
#include "oidc/jwt.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/identity_providers.h"
#include "service/sign_in/issuer_claims.h"
#include "signing/sealer.h"
#include "wire/foreign/openid.h"

namespace koya::service {
namespace {

constexpr std::size_t kMostCode = 4096;  // bytes; longer ones than any that a provider makes

std::string PendingContext(bool is_trial, std::string_view provider) {
  return (is_trial ? "sign-in-trial/" : "sign-in-elsewhere/") + AsciiLower(provider);
}

Failure BegunElsewhere(std::string detail) {
  return Fail(ErrorKind::kUnauthenticated,
              "this sign-in was not started in this browser, or too long ago: start again",
              std::move(detail));
}

// The provider's own word, in text that may be shown.
Failure RefusedThere(const IdentityProviderRecord& provider, const ProviderAnswer& answer) {
  std::string said = Printable(answer.error, 80);
  if (!answer.error_description.empty()) {
    said += fmt::format(" ({})", Printable(answer.error_description, 200));
  }
  return FailUnauthenticated("the sign-in provider \"{}\" denied the sign-in: {}", provider.name,
                             said);
}

Status RequireEnabled(const IdentityProviderRecord& provider) {
  if (provider.enabled) return {};
  return FailForbidden(
      "the sign-in provider \"{0}\" is disabled: sign in another way, or ask an administrator to "
      "run "
      "koya idp test {0}",
      provider.name);
}

Status RequireTrier(const auth::Principal& by) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return by.RequireAllNamespaces();
}

// A claim as people read it; "": of a kind that has no text.
std::string ClaimText(const oidc::Claims& claims, const std::string& name) {
  if (auto text = claims.Text(name)) return Printable(*text, 300);
  if (auto number = claims.Number(name)) return std::to_string(*number);
  if (auto flag = claims.Flag(name)) return *flag ? "true" : "false";
  const std::vector<std::string> texts = claims.Texts(name).value_or(std::vector<std::string>());
  return Printable(fmt::format("{}", fmt::join(texts, ", ")), 1000);
}

std::vector<std::pair<std::string, std::string>> ShownClaims(const oidc::Claims& claims) {
  std::vector<std::pair<std::string, std::string>> shown;
  for (const auto& [name, value] : claims.all()) {
    if (shown.size() == SignInPreview::kMostClaims) break;
    if (name == "nonce") continue;  // ours, and of no interest afterwards
    shown.emplace_back(Printable(name, 100), ClaimText(claims, name));
  }
  return shown;
}

}  // namespace

// What a browser keeps of a sign-in that is under way.
struct ProviderSignIn::Pending {
  oidc::SignInSecrets secrets;
  UnixSeconds expires_at = 0;
  std::string to;

  // A line each, the last without its end.
  std::string Text() const {
    return fmt::format("{}\n{}\n{}\n{}\n{}", expires_at, secrets.state, secrets.nonce,
                       secrets.verifier, to);
  }
  // REQUIRES: as Text() made it, which the seal says.
  static Pending Of(std::string_view text) {
    std::array<std::string_view, 4> lines;
    for (std::string_view& line : lines) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    Pending pending;
    std::from_chars(lines[0].data(), lines[0].data() + lines[0].size(), pending.expires_at);
    pending.secrets = {std::string(lines[1]), std::string(lines[2]), std::string(lines[3])};
    pending.to = text;
    return pending;
  }
};

Result<oidc::ClientAtIssuer> ProviderSignIn::ClientOf(const IdentityProviderRecord& provider,
                                                      std::string callback) const {
  ASSIGN_OR_RETURN(std::string secret, providers_.SecretOf(provider));
  return oidc::ClientAtIssuer{
      .id = provider.client_id, .secret = std::move(secret), .redirect_uri = std::move(callback)};
}

Task<ProviderSignIn::Document> ProviderSignIn::DocumentOf(std::string issuer) {
  ASSIGN_OR_CO_RETURN(
      Document document,
      co_await issuers_.Discover(std::move(issuer), upstream::IssuerTrust::Administrators()));
  Status offers = oidc::CheckOffersSignIn(*document);
  if (!offers) co_return Fail(ErrorKind::kBadUpstream, std::move(offers).error().message);
  co_return document;
}

Task<AuthorizationRedirect> ProviderSignIn::Begin(std::string provider, std::string callback,
                                                  std::string to) {
  return BeginFor(Purpose::kSignIn, std::move(provider), std::move(callback), std::move(to));
}

Task<AuthorizationRedirect> ProviderSignIn::BeginTrial(auth::Principal by, std::string provider,
                                                       std::string callback) {
  CO_RETURN_IF_ERROR(RequireTrier(by));
  // Whose trial it is stands in place of where to go.
  std::string whose(by.account_id());
  co_return co_await BeginFor(Purpose::kTrial, std::move(provider), std::move(callback),
                              std::move(whose));
}

Task<AuthorizationRedirect> ProviderSignIn::BeginFor(Purpose purpose, std::string provider,
                                                     std::string callback, std::string to) {
  ASSIGN_OR_CO_RETURN(IdentityProviderRecord record,
                      co_await providers_.FindProvider(std::move(provider)));
  if (purpose == Purpose::kSignIn) {
    CO_RETURN_IF_ERROR(RequireEnabled(record));
  }
  ASSIGN_OR_CO_RETURN(oidc::ClientAtIssuer client, ClientOf(record, std::move(callback)));
  ASSIGN_OR_CO_RETURN(Document document, co_await DocumentOf(record.issuer));
  Pending pending{.secrets = {.state = auth::RandomId(),
                              .nonce = auth::RandomId(),
                              .verifier = auth::RandomId() + auth::RandomId()},
                  .expires_at = clock_.Now() + std::chrono::seconds(kTime).count(),
                  .to = to.size() <= kMostTo ? std::move(to) : "/"};
  co_return AuthorizationRedirect{
      .location = oidc::AuthorizationUrl(*document, client, pending.secrets, record.groups_claim),
      .sealed_state =
          sealer_.Seal(PendingContext(purpose == Purpose::kTrial, record.name), pending.Text())};
}

Result<ProviderSignIn::Pending> ProviderSignIn::OpenPending(Purpose purpose,
                                                            const IdentityProviderRecord& provider,
                                                            const ProviderAnswer& answer) const {
  if (answer.sealed_state.empty()) return BegunElsewhere("no cookie");
  Result<std::string> text = sealer_.Unseal(
      PendingContext(purpose == Purpose::kTrial, provider.name), answer.sealed_state);
  if (!text) return BegunElsewhere("the cookie cannot be decrypted");
  Pending pending = Pending::Of(*text);
  if (!EqualSecrets(pending.secrets.state, answer.state)) return BegunElsewhere("another state");
  if (pending.expires_at <= clock_.Now()) return BegunElsewhere("it has expired");
  return pending;
}

std::string ProviderSignIn::Destination(std::string_view provider,
                                        std::string_view sealed_state) const {
  Result<std::string> text = sealer_.Unseal(PendingContext(false, provider), sealed_state);
  return text ? Pending::Of(*text).to : "/";
}

Task<std::string> ProviderSignIn::ExchangeCode(Document document, oidc::ClientAtIssuer client,
                                               std::string code, std::string verifier) {
  if (code.empty() || code.size() > kMostCode) {
    co_return FailUnauthenticated("the sign-in provider sent no usable code: sign in again");
  }
  ASSIGN_OR_CO_RETURN(oidc::TokenRequest request,
                      oidc::MakeTokenRequest(*document, client, code, verifier));
  Result<std::string> body =
      co_await issuers_.PostForm(document->token_endpoint, upstream::IssuerTrust::Administrators(),
                                 std::move(request.form), std::move(request.authorization));
  if (!body) co_return Failure(std::move(body).error());
  auto answer = wire::Decode<wire::TokenEndpointAnswer>(*body);
  WipeSecret(*body);
  if (!answer) co_return Fail(ErrorKind::kBadUpstream, std::move(answer).error().message);
  if (answer->id_token.empty()) {
    co_return FailBadUpstream(
        "{} responded without an id_token: configure the client there for OpenID Connect",
        document->token_endpoint);
  }
  co_return std::move(answer->id_token);
}

Task<oidc::Claims> ProviderSignIn::VerifyToken(Document document, std::string token,
                                               std::string client_id, std::string nonce) {
  oidc::Expectations expected{.issuer = document->issuer,
                              .audience = std::move(client_id),
                              .algorithms = document->algorithms,
                              .now = clock_.Now(),
                              .nonce = std::move(nonce)};
  co_return co_await VerifyIssuerToken(issuers_, upstream::IssuerTrust::Administrators(),
                                       std::move(token), std::move(expected));
}

Task<oidc::Claims> ProviderSignIn::ClaimsOf(IdentityProviderRecord provider, Pending pending,
                                            std::string callback, ProviderAnswer answer) {
  ASSIGN_OR_CO_RETURN(Document document, co_await DocumentOf(provider.issuer));
  CO_RETURN_IF_ERROR(oidc::CheckAnsweringIssuer(*document, answer.iss));
  if (!answer.error.empty()) co_return RefusedThere(provider, answer);
  ASSIGN_OR_CO_RETURN(oidc::ClientAtIssuer client, ClientOf(provider, std::move(callback)));
  ASSIGN_OR_CO_RETURN(std::string token,
                      co_await ExchangeCode(document, std::move(client), std::move(answer.code),
                                            pending.secrets.verifier));
  co_return co_await VerifyToken(document, std::move(token), provider.client_id,
                                 pending.secrets.nonce);
}

Task<SignInResult> ProviderSignIn::Finish(Browser browser, std::string provider,
                                          std::string callback, ProviderAnswer answer) {
  Result<IdentityProviderRecord> found = co_await providers_.FindProvider(std::move(provider));
  if (!found) co_return Failure(std::move(found).error());
  IdentityProviderRecord record = *std::move(found);
  CO_RETURN_IF_ERROR(RequireEnabled(record));
  ASSIGN_OR_CO_RETURN(Pending pending, OpenPending(Purpose::kSignIn, record, answer));
  ASSIGN_OR_CO_RETURN(oidc::Claims claims,
                      co_await ClaimsOf(record, pending, std::move(callback), std::move(answer)));
  IdentityClaim identity{.provider = record.name,
                         .subject = claims.subject(),
                         .wanted_name = AccountNameOf(claims),
                         .groups = GroupsOf(record, claims),
                         .email = EmailOf(claims)};
  ASSIGN_OR_CO_RETURN(
      AccountRecord account,
      co_await catalog_.RecordIdentity(browser.ActorNamed(""), std::move(identity), clock_.Now()));
  co_return SignInResult{
      .account = std::move(account), .method = "oidc:" + record.name, .to = std::move(pending.to)};
}

bool ProviderSignIn::IsTrial(std::string_view provider, std::string_view sealed_state) const {
  return !sealed_state.empty() &&
         sealer_.Unseal(PendingContext(true, provider), sealed_state).has_value();
}

Task<SignInPreview> ProviderSignIn::FinishTrial(auth::Principal by, std::string provider,
                                                std::string callback, ProviderAnswer answer) {
  CO_RETURN_IF_ERROR(RequireTrier(by));
  ASSIGN_OR_CO_RETURN(IdentityProviderRecord record,
                      co_await providers_.FindProvider(std::move(provider)));
  ASSIGN_OR_CO_RETURN(Pending pending, OpenPending(Purpose::kTrial, record, answer));
  if (pending.to != by.account_id()) co_return BegunElsewhere("another administrator started it");
  ASSIGN_OR_CO_RETURN(oidc::Claims claims,
                      co_await ClaimsOf(record, pending, std::move(callback), std::move(answer)));
  SignInPreview tried{.provider = record.name,
                      .claims = ShownClaims(claims),
                      .wanted_name = AccountNameOf(claims),
                      .theirs = {},
                      .groups = GroupsOf(record, claims)};
  if (!record.groups_claim.empty()) {
    tried.theirs = claims.Texts(record.groups_claim).value_or(std::vector<std::string>());
  }
  if (tried.theirs.size() > kMostClaimedGroups) tried.theirs.resize(kMostClaimedGroups);
  co_return tried;
}

}  // namespace koya::service
