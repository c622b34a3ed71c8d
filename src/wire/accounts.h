// Documents of /api/v1/users, /api/v1/services and /api/v1/groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// The request that creates a user.
struct UserRequest {
  std::string name;
  bool admin = false;
  friend bool operator==(const UserRequest&, const UserRequest&) = default;
};

// The request that creates a service account or a group.
struct NameRequest {
  std::string name;
  friend bool operator==(const NameRequest&, const NameRequest&) = default;
};

// A user or a service account as responses show it.
struct Account {
  std::string kind;  // "user" or "service"
  std::string name;
  bool admin = false;
  std::string created;     // RFC 3339
  std::string created_by;  // a principal's name; "" = not known, null on the wire
  std::string disabled;    // RFC 3339: since then; "" = it is not, null on the wire
  std::string email = {};  // of a user, by a sign-in provider's word; "" = none, null on the wire
  std::string language = {};  // of a user's pages; "" = as the browser says, null on the wire
  // In the list of service accounts; else left out.
  std::optional<std::uint64_t> tokens = {};
  std::string last_used = {};  // RFC 3339: the last use of a token that still exists; "" = never
  friend bool operator==(const Account&, const Account&) = default;
};
struct LanguageRequest {
  std::string language;  // "en", "ja", "zh", or "auto" for the browser's language
  friend bool operator==(const LanguageRequest&, const LanguageRequest&) = default;
};
using UserList = ListOf<Account, "users", "the list of users">;
using ServiceList = ListOf<Account, "services", "the list of service accounts">;

struct Group {
  std::string name;
  std::string created;     // RFC 3339
  std::string created_by;  // as of an account
  friend bool operator==(const Group&, const Group&) = default;
};
using GroupList = ListOf<Group, "groups", "the list of groups">;

// An account in a group.
struct GroupMember {
  std::string kind;  // "user" or "service"
  std::string name;
  std::string source;  // the sign-in provider that reports it; "" = an administrator, null in JSON
  friend bool operator==(const GroupMember&, const GroupMember&) = default;
};
using MemberList = ListOf<GroupMember, "members", "the list of members">;

// ---- endpoints

inline constexpr Endpoint<UserRequest, Account> kCreateUser{"POST", "/api/v1/users"};
inline constexpr Endpoint<void, UserList> kListUsers{"GET", "/api/v1/users"};
inline constexpr Endpoint<void, Account, 1> kDisableUser{"POST", "/api/v1/users/{name}/disable"};
inline constexpr Endpoint<void, Account, 1> kEnableUser{"POST", "/api/v1/users/{name}/enable"};
inline constexpr Endpoint<void, void, 1> kDeleteUser{"DELETE", "/api/v1/users/{name}"};
inline constexpr Endpoint<LanguageRequest, void, 1> kSetLanguage{"PUT",
                                                                 "/api/v1/users/{name}/language"};
inline constexpr Endpoint<NameRequest, Account> kCreateService{"POST", "/api/v1/services"};
inline constexpr Endpoint<void, ServiceList> kListServices{"GET", "/api/v1/services"};
inline constexpr Endpoint<void, Account, 1> kDisableService{"POST",
                                                            "/api/v1/services/{name}/disable"};
inline constexpr Endpoint<void, Account, 1> kEnableService{"POST",
                                                           "/api/v1/services/{name}/enable"};
inline constexpr Endpoint<void, void, 1> kDeleteService{"DELETE", "/api/v1/services/{name}"};
inline constexpr Endpoint<NameRequest, Group> kCreateGroup{"POST", "/api/v1/groups"};
inline constexpr Endpoint<void, GroupList> kListGroups{"GET", "/api/v1/groups"};
inline constexpr Endpoint<void, void, 1> kDeleteGroup{"DELETE", "/api/v1/groups/{name}"};
inline constexpr Endpoint<void, MemberList, 1> kListMembers{"GET", "/api/v1/groups/{name}/members"};
inline constexpr Endpoint<void, void, 2> kAddUserToGroup{
    "PUT", "/api/v1/groups/{name}/members/users/{member}"};
inline constexpr Endpoint<void, void, 2> kRemoveUserFromGroup{
    "DELETE", "/api/v1/groups/{name}/members/users/{member}"};
inline constexpr Endpoint<void, void, 2> kAddServiceToGroup{
    "PUT", "/api/v1/groups/{name}/members/services/{member}"};
inline constexpr Endpoint<void, void, 2> kRemoveServiceFromGroup{
    "DELETE", "/api/v1/groups/{name}/members/services/{member}"};

}  // namespace koya::wire
