// Documents of /api/v1/users, /api/v1/services and /api/v1/groups.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/codec.h"

namespace koya::wire {

// The request that creates a user.
struct UserRequest {
  std::string name;
  bool admin = false;
  friend bool operator==(const UserRequest&, const UserRequest&) = default;
};

// {"name": …}: the request that creates a service account or a group.
std::string EncodeNameRequest(std::string_view name);
Result<std::string> DecodeNameRequest(std::string_view body);

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
  friend bool operator==(const Account&, const Account&) = default;
};
// {"language": …}: "en", "ja", "zh", or "auto" for the browser's language.
std::string EncodeLanguageRequest(std::string_view language);
Result<std::string> DecodeLanguageRequest(std::string_view body);
// {"users": […]}, {"services": […]}
std::string EncodeUserList(const std::vector<Account>& users);
Result<std::vector<Account>> DecodeUserList(std::string_view body);
std::string EncodeServiceList(const std::vector<Account>& services);
Result<std::vector<Account>> DecodeServiceList(std::string_view body);

struct Group {
  std::string name;
  std::string created;     // RFC 3339
  std::string created_by;  // as of an account
  friend bool operator==(const Group&, const Group&) = default;
};
std::string EncodeGroupList(const std::vector<Group>& groups);
Result<std::vector<Group>> DecodeGroupList(std::string_view body);

// An account in a group.
struct GroupMember {
  std::string kind;  // "user" or "service"
  std::string name;
  std::string source;  // the sign-in provider that reports it; "" = an administrator, null in JSON
  friend bool operator==(const GroupMember&, const GroupMember&) = default;
};
std::string EncodeMemberList(const std::vector<GroupMember>& members);
Result<std::vector<GroupMember>> DecodeMemberList(std::string_view body);

}  // namespace koya::wire
