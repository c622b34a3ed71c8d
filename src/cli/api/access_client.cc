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

}  // namespace

Result<wire::Account> AccessClient::CreateAccount(AccountKind kind, const std::string& name,
                                                  bool admin) {
  std::string body = kind == AccountKind::kUser ? wire::EncodeUserRequest({name, admin})
                                                : wire::EncodeNameRequest(name);
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", AccountsPath(kind), std::move(body)));
  return wire::DecodeAccount(response.body);
}

Result<std::vector<wire::Account>> AccessClient::ListAccounts(AccountKind kind) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(AccountsPath(kind)));
  return kind == AccountKind::kUser ? wire::DecodeUserList(body) : wire::DecodeServiceList(body);
}

Result<wire::Account> AccessClient::DisableAccount(AccountKind kind, std::string_view name) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", AccountPath(kind, name) + "/disable"));
  return wire::DecodeAccount(response.body);
}

Result<wire::Account> AccessClient::EnableAccount(AccountKind kind, std::string_view name) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", AccountPath(kind, name) + "/enable"));
  return wire::DecodeAccount(response.body);
}

Status AccessClient::DeleteAccount(AccountKind kind, std::string_view name) {
  return WithoutAnswer(api_.Send("DELETE", AccountPath(kind, name)));
}

Result<wire::Account> AccessClient::SetUp(const wire::SetupRequest& request) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/setup", wire::EncodeSetupRequest(request)));
  return wire::DecodeAccount(response.body);
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
  return wire::DecodeGroup(response.body);
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
                   api_.Send("PUT", NamespacePath(ns), wire::EncodeNamespaceRequest(request)));
  ASSIGN_OR_RETURN(wire::Namespace record, wire::DecodeNamespace(response.body));
  return NamespaceOutcome{std::move(record), response.status == 201};
}

Result<std::vector<wire::Namespace>> AccessClient::ListNamespaces() {
  ASSIGN_OR_RETURN(std::string body, api_.Get("/api/v1/namespaces"));
  return wire::DecodeNamespaceList(body);
}

Result<wire::Namespace> AccessClient::ShowNamespace(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(NamespacePath(ns)));
  return wire::DecodeNamespace(body);
}

Result<wire::Grant> AccessClient::PutGrant(std::string_view ns, GranteeKind kind,
                                           std::string_view name, std::string_view role) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("PUT", GrantPath(ns, kind, name), wire::EncodeRoleRequest(role)));
  return wire::DecodeGrant(response.body);
}

Result<std::vector<wire::Grant>> AccessClient::ListGrants(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(NamespacePath(ns) + "/grants"));
  return wire::DecodeGrantList(body);
}

Status AccessClient::RemoveGrant(std::string_view ns, GranteeKind kind, std::string_view name) {
  return WithoutAnswer(api_.Send("DELETE", GrantPath(ns, kind, name)));
}

}  // namespace koya::cli
