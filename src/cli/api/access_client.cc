#include "cli/api/access_client.h"

#include <fmt/format.h>

#include <utility>

namespace koya::cli {
namespace {

std::string_view AccountsWord(AccountKind kind) {
  return kind == AccountKind::kUser ? "users" : "services";
}

std::string_view GranteesWord(GranteeKind kind) {
  switch (kind) {
    case GranteeKind::kUser:
      return "users";
    case GranteeKind::kGroup:
      return "groups";
    case GranteeKind::kService:
      return "services";
  }
  return "users";
}

std::string AccountsPath(AccountKind kind) { return fmt::format("/api/v1/{}", AccountsWord(kind)); }
std::string AccountPath(AccountKind kind, std::string_view name) {
  return fmt::format("{}/{}", AccountsPath(kind), http::PercentEncode(name));
}
std::string GroupPath(std::string_view group) {
  return "/api/v1/groups/" + http::PercentEncode(group);
}
std::string MemberPath(std::string_view group, AccountKind kind, std::string_view name) {
  return fmt::format("{}/members/{}/{}", GroupPath(group), AccountsWord(kind),
                     http::PercentEncode(name));
}
std::string NamespacePath(std::string_view ns) {
  return "/api/v1/namespaces/" + http::PercentEncode(ns);
}
std::string GrantPath(std::string_view ns, GranteeKind kind, std::string_view name) {
  return fmt::format("{}/grants/{}/{}", NamespacePath(ns), GranteesWord(kind),
                     http::PercentEncode(name));
}

// Whether it was done; what else the server said does not matter.
Status WithoutAnswer(Result<http::ClientResponse> response) {
  if (!response) return std::unexpected(std::move(response).error());
  return {};
}

std::string ProviderPath(std::string_view name) {
  return "/api/v1/idps/" + http::PercentEncode(name);
}
std::string TrustPath(std::string_view ns) {
  return fmt::format("/api/v1/namespaces/{}/trust", http::PercentEncode(ns));
}

}  // namespace

Result<wire::Account> AccessClient::CreateAccount(AccountKind kind, const std::string& name,
                                                  bool admin) {
  std::string body = kind == AccountKind::kUser ? wire::Encode<wire::UserRequest>({name, admin})
                                                : wire::EncodeNameRequest(name);
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", AccountsPath(kind), std::move(body)));
  return wire::Decode<wire::Account>(response.body);
}

Result<std::vector<wire::Account>> AccessClient::ListAccounts(AccountKind kind) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(AccountsPath(kind)));
  return kind == AccountKind::kUser ? wire::DecodeUserList(body) : wire::DecodeServiceList(body);
}

Result<wire::Account> AccessClient::DisableAccount(AccountKind kind, std::string_view name) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", AccountPath(kind, name) + "/disable"));
  return wire::Decode<wire::Account>(response.body);
}

Result<wire::Account> AccessClient::EnableAccount(AccountKind kind, std::string_view name) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", AccountPath(kind, name) + "/enable"));
  return wire::Decode<wire::Account>(response.body);
}

Status AccessClient::DeleteAccount(AccountKind kind, std::string_view name) {
  return WithoutAnswer(api_.Send("DELETE", AccountPath(kind, name)));
}

Result<wire::Account> AccessClient::SetUp(const wire::SetupRequest& request) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/setup", wire::Encode(request)));
  return wire::Decode<wire::Account>(response.body);
}

Status AccessClient::PutLanguage(std::string_view user, std::string_view language) {
  return WithoutAnswer(api_.Send("PUT", AccountPath(AccountKind::kUser, user) + "/language",
                                 wire::EncodeLanguageRequest(language)));
}

Status AccessClient::PutPassword(std::string_view user, const wire::PasswordRequest& request) {
  return WithoutAnswer(api_.Send("PUT", AccountPath(AccountKind::kUser, user) + "/password",
                                 wire::EncodePasswordRequest(request)));
}

Result<std::vector<wire::Session>> AccessClient::ListSessions(std::string_view user) {
  std::string path = "/api/v1/sessions";
  if (!user.empty()) path += "?user=" + http::PercentEncode(user);
  ASSIGN_OR_RETURN(std::string body, api_.Get(path));
  return wire::DecodeSessionList(body);
}

Status AccessClient::EndSession(std::string_view id) {
  return WithoutAnswer(api_.Send("DELETE", "/api/v1/sessions/" + http::PercentEncode(id)));
}

Result<std::uint64_t> AccessClient::EndSessionsOf(std::string_view user) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("DELETE", AccountPath(AccountKind::kUser, user) + "/sessions"));
  return wire::DecodeEndedSessions(response.body);
}

Result<wire::Group> AccessClient::CreateGroup(std::string_view name) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/groups", wire::EncodeNameRequest(name)));
  return wire::Decode<wire::Group>(response.body);
}

Result<std::vector<wire::Group>> AccessClient::ListGroups() {
  ASSIGN_OR_RETURN(std::string body, api_.Get("/api/v1/groups"));
  return wire::DecodeGroupList(body);
}

Status AccessClient::DeleteGroup(std::string_view name) {
  return WithoutAnswer(api_.Send("DELETE", GroupPath(name)));
}

Result<std::vector<wire::GroupMember>> AccessClient::ListMembers(std::string_view group) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(GroupPath(group) + "/members"));
  return wire::DecodeMemberList(body);
}

Status AccessClient::AddMember(std::string_view group, AccountKind kind, std::string_view name) {
  return WithoutAnswer(api_.Send("PUT", MemberPath(group, kind, name)));
}

Status AccessClient::RemoveMember(std::string_view group, AccountKind kind, std::string_view name) {
  return WithoutAnswer(api_.Send("DELETE", MemberPath(group, kind, name)));
}

Result<AccessClient::NamespaceOutcome> AccessClient::SetNamespace(
    std::string_view ns, const wire::NamespaceRequest& request) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("PUT", NamespacePath(ns), wire::Encode(request)));
  ASSIGN_OR_RETURN(wire::Namespace record, wire::Decode<wire::Namespace>(response.body));
  return NamespaceOutcome{std::move(record), response.status == 201};
}

Result<std::vector<wire::Namespace>> AccessClient::ListNamespaces() {
  ASSIGN_OR_RETURN(std::string body, api_.Get("/api/v1/namespaces"));
  return wire::DecodeNamespaceList(body);
}

Result<wire::Namespace> AccessClient::ShowNamespace(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(NamespacePath(ns)));
  return wire::Decode<wire::Namespace>(body);
}

Result<wire::Grant> AccessClient::PutGrant(std::string_view ns, GranteeKind kind,
                                           std::string_view name, std::string_view role) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("PUT", GrantPath(ns, kind, name), wire::EncodeRoleRequest(role)));
  return wire::Decode<wire::Grant>(response.body);
}

Result<std::vector<wire::Grant>> AccessClient::ListGrants(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(NamespacePath(ns) + "/grants"));
  return wire::DecodeGrantList(body);
}

Status AccessClient::RemoveGrant(std::string_view ns, GranteeKind kind, std::string_view name) {
  return WithoutAnswer(api_.Send("DELETE", GrantPath(ns, kind, name)));
}

Result<wire::IdentityProvider> IdentityClient::AddProvider(const wire::IdentityProvider& provider) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/idps", wire::Encode(provider)));
  return wire::Decode<wire::IdentityProvider>(response.body);
}

Result<std::vector<wire::IdentityProvider>> IdentityClient::ListProviders() {
  ASSIGN_OR_RETURN(std::string body, api_.Get("/api/v1/idps"));
  return wire::DecodeIdentityProviderList(body);
}

Result<wire::IdentityProviderReport> IdentityClient::TestProvider(std::string_view name) {
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Send("POST", ProviderPath(name) + "/test"));
  return wire::Decode<wire::IdentityProviderReport>(response.body);
}

Status IdentityClient::RemoveProvider(std::string_view name) {
  auto response = api_.Send("DELETE", ProviderPath(name));
  return response ? Status() : Failure(std::move(response).error());
}

Result<wire::Trust> IdentityClient::AddTrust(std::string_view ns,
                                             const wire::TrustRequest& request) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", TrustPath(ns), wire::Encode(request)));
  return wire::Decode<wire::Trust>(response.body);
}

Result<std::vector<wire::Trust>> IdentityClient::ListTrust(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(TrustPath(ns)));
  return wire::DecodeTrustList(body);
}

Result<std::vector<wire::Token>> IdentityClient::ListJobTokens(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(TrustPath(ns) + "/tokens"));
  return wire::DecodeTokenList(body);
}

Status IdentityClient::EndJobToken(std::string_view ns, std::string_view name) {
  auto response =
      api_.Send("DELETE", fmt::format("{}/tokens/{}", TrustPath(ns), http::PercentEncode(name)));
  return response ? Status() : Failure(std::move(response).error());
}

Status IdentityClient::RemoveTrust(std::string_view ns, std::string_view id) {
  auto response = api_.Send("DELETE", fmt::format("{}/{}", TrustPath(ns), http::PercentEncode(id)));
  return response ? Status() : Failure(std::move(response).error());
}

Result<wire::ExchangedToken> IdentityClient::Exchange(const wire::TokenExchange& exchange) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/oidc/exchange", wire::Encode(exchange)));
  return wire::Decode<wire::ExchangedToken>(response.body);
}

}  // namespace koya::cli
