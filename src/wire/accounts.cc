#include "wire/accounts.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<UserRequest> = Document(
    "the new user", Required("name", &UserRequest::name), Optional("admin", &UserRequest::admin));

template <>
constexpr auto kDocument<NameRequest> =
    Document("the request", Required("name", &NameRequest::name));

template <>
constexpr auto kDocument<LanguageRequest> =
    Document("the request", Required("language", &LanguageRequest::language));

template <>
constexpr auto kDocument<Account> =
    Document("the account", Required("kind", &Account::kind), Required("name", &Account::name),
             Optional("admin", &Account::admin), OrNull("created", &Account::created),
             OrNull("created_by", &Account::created_by), OrNull("disabled", &Account::disabled),
             OrNull("email", &Account::email), OrNull("language", &Account::language),
             OrAbsent("tokens", &Account::tokens), OrAbsent("last_used", &Account::last_used));

template <>
constexpr auto kDocument<Group> =
    Document("the group", Required("name", &Group::name), OrNull("created", &Group::created),
             OrNull("created_by", &Group::created_by));

template <>
constexpr auto kDocument<GroupMember> =
    Document("the member", Required("kind", &GroupMember::kind),
             Required("name", &GroupMember::name), OrNull("source", &GroupMember::source));

KOYA_DOCUMENT(UserRequest);
KOYA_DOCUMENT(NameRequest);

KOYA_DOCUMENT(Account);
KOYA_DOCUMENT(LanguageRequest);
KOYA_DOCUMENT(UserList);
KOYA_DOCUMENT(ServiceList);

KOYA_DOCUMENT(Group);
KOYA_DOCUMENT(GroupList);

KOYA_DOCUMENT(MemberList);

void AddAccountSchemas(SchemaList& list) {
  AddSchema<UserRequest>(list);
  AddSchema<Account>(list);
  AddSchema<Group>(list);
  AddSchema<GroupMember>(list);
  AddShape(list, "NameRequest", "{name: text}");
  AddShape(list, "LanguageRequest", "{language: \"en\" | \"ja\" | \"zh\" | \"auto\"}");
}

}  // namespace koya::wire
