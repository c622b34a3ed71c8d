#include "wire/accounts.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<UserRequest> = Document(
    "the new user", Required("name", &UserRequest::name), Optional("admin", &UserRequest::admin));

template <>
constexpr auto kDocument<Account> =
    Document("the account", Required("kind", &Account::kind), Required("name", &Account::name),
             Optional("admin", &Account::admin), OrNull("created", &Account::created),
             OrNull("created_by", &Account::created_by), OrNull("disabled", &Account::disabled),
             OrNull("email", &Account::email), OrNull("language", &Account::language));

template <>
constexpr auto kDocument<Group> =
    Document("the group", Required("name", &Group::name), OrNull("created", &Group::created),
             OrNull("created_by", &Group::created_by));

template <>
constexpr auto kDocument<GroupMember> =
    Document("the member", Required("kind", &GroupMember::kind),
             Required("name", &GroupMember::name), OrNull("source", &GroupMember::source));

KOYA_DOCUMENT(UserRequest);
std::string EncodeNameRequest(std::string_view name) { return EncodeText("name", name); }
Result<std::string> DecodeNameRequest(std::string_view body) {
  return DecodeText("the request", "name", body);
}

KOYA_DOCUMENT(Account);
std::string EncodeLanguageRequest(std::string_view language) {
  return EncodeText("language", language);
}
Result<std::string> DecodeLanguageRequest(std::string_view body) {
  return DecodeText("the request", "language", body);
}
std::string EncodeUserList(const std::vector<Account>& users) { return EncodeList("users", users); }
Result<std::vector<Account>> DecodeUserList(std::string_view body) {
  return DecodeList<Account>("the list of users", "users", body);
}
std::string EncodeServiceList(const std::vector<Account>& services) {
  return EncodeList("services", services);
}
Result<std::vector<Account>> DecodeServiceList(std::string_view body) {
  return DecodeList<Account>("the list of service accounts", "services", body);
}

KOYA_DOCUMENT(Group);
std::string EncodeGroupList(const std::vector<Group>& groups) {
  return EncodeList("groups", groups);
}
Result<std::vector<Group>> DecodeGroupList(std::string_view body) {
  return DecodeList<Group>("the list of groups", "groups", body);
}

std::string EncodeMemberList(const std::vector<GroupMember>& members) {
  return EncodeList("members", members);
}
Result<std::vector<GroupMember>> DecodeMemberList(std::string_view body) {
  return DecodeList<GroupMember>("the list of members", "members", body);
}

void AddAccountSchemas(SchemaList& list) {
  AddSchema<UserRequest>(list, "UserRequest");
  AddSchema<Account>(list, "Account");
  AddSchema<Group>(list, "Group");
  AddSchema<GroupMember>(list, "GroupMember");
  AddShape(list, "NameRequest", "{name: text}");
  AddShape(list, "LanguageRequest", "{language: \"en\" | \"ja\" | \"zh\" | \"auto\"}");
}

}  // namespace koya::wire
