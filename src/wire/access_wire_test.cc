// Documents of users, service accounts, groups, namespaces and grants.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/accounts.h"
#include "wire/document_refusal_fake.h"
#include "wire/namespaces.h"

namespace koya::wire {
namespace {

constexpr const char* kTime = "2026-11-21T16:41:10Z";

TEST(AccountDocumentsTest, ReadWhatTheyWrite) {
  for (const UserRequest& request : {UserRequest{"ada", false}, UserRequest{"ada@a.test", true}}) {
    EXPECT_EQ(Decode<UserRequest>(Encode(request)), request);
  }
  EXPECT_EQ(Decode<NameRequest>(Encode(NameRequest{"ci \"x\""})), (NameRequest{"ci \"x\""}));
  EXPECT_EQ(Decode<LanguageRequest>(Encode(LanguageRequest{"ja"})), (LanguageRequest{"ja"}));
  std::vector<Account> accounts = {{"user", "ada", true, kTime, "koya", ""},
                                   {"user", "bob", false, kTime, "", kTime},
                                   {"user", "eve", false, kTime, "", "", "e@a.test", "zh"}};
  for (const Account& account : accounts) {
    EXPECT_EQ(Decode<Account>(Encode(account)), account);
  }
  EXPECT_EQ(Decode<UserList>(Encode(UserList{accounts})), (UserList{accounts}));
  EXPECT_EQ(Decode<ServiceList>(Encode(ServiceList{accounts})), (ServiceList{accounts}));
  EXPECT_EQ(Decode<UserList>(Encode(UserList{{}})), (UserList{{}}));
  Group group{"platform", kTime, ""};
  EXPECT_EQ(Decode<Group>(Encode(group)), group);
  EXPECT_EQ(Decode<GroupList>(Encode(GroupList{{group}})), (GroupList{{group}}));
  std::vector<GroupMember> members = {{"user", "ada", ""}, {"service", "ci", "corp"}};
  EXPECT_EQ(Decode<MemberList>(Encode(MemberList{members})), (MemberList{members}));
}

TEST(AccountDocumentsTest, SayWhatIsNotKnownAsNull) {
  EXPECT_EQ(Encode<Account>({"user", "ada", false, kTime, "", ""}),
            R"({"kind":"user","name":"ada","admin":false,"created":"2026-11-21T16:41:10Z",)"
            R"("created_by":null,"disabled":null,"email":null,"language":null})");
  // As servers answer that know of no addresses.
  EXPECT_EQ(Decode<Account>(R"({"kind":"user","name":"ada"})"),
            (Account{"user", "ada", false, "", "", ""}));
  EXPECT_EQ(Encode(MemberList{{{"user", "ada", ""}}}),
            R"({"members":[{"kind":"user","name":"ada","source":null}]})");
}

TEST(AccountDocumentsTest, TakeAUserWithoutTheFlagAsNoAdministrator) {
  for (const char* body : {R"({"name":"ada"})", R"({"name":"ada","admin":null})",
                           R"({"name":"ada","admin":false,"more":1})"}) {
    EXPECT_EQ(Decode<UserRequest>(body), (UserRequest{"ada", false})) << body;
  }
}

TEST(NamespaceDocumentsTest, ReadWhatTheyWrite) {
  for (const NamespaceRequest& request :
       {NamespaceRequest{"internal", ""}, NamespaceRequest{"", "refuse"},
        NamespaceRequest{"public", "default"}, NamespaceRequest{"", "", "Acme", "a\nb"},
        NamespaceRequest{"", "", "", std::nullopt}, NamespaceRequest{"", "", std::nullopt, ""}}) {
    EXPECT_EQ(DecodeNamespaceRequest(Encode(request)), request);
  }
  EXPECT_EQ(Encode<NamespaceRequest>({"", "", "", std::nullopt}), R"({"title":""})")
      << "what is left out stays, what is empty is removed";
  EXPECT_EQ(Decode<RoleRequest>(Encode(RoleRequest{"owner"})), (RoleRequest{"owner"}));
  std::vector<Namespace> namespaces = {{"acme", "private", kTime, "ada"},
                                       {"größe", "public", "", ""},
                                       {"b", "public", "", "", "warn", "B", "All of\nB."}};
  for (const Namespace& ns : namespaces) EXPECT_EQ(Decode<Namespace>(Encode(ns)), ns);
  EXPECT_EQ(Decode<NamespaceList>(Encode(NamespaceList{namespaces})), (NamespaceList{namespaces}));
  std::vector<Grant> grants = {{"user", "ada", "owner", kTime, "koya"},
                               {"group", "platform", "reader", kTime, ""}};
  for (const Grant& grant : grants) EXPECT_EQ(Decode<Grant>(Encode(grant)), grant);
  EXPECT_EQ(Decode<GrantList>(Encode(GrantList{grants})), (GrantList{grants}));
}

TEST(AccessDocumentsTest, RefuseWhatTheyAreNot) {
  const std::vector<DocumentRefusal> kRefusals = {
      {"empty", OnlyError(Decode<UserRequest>), "", "not valid JSON"},
      {"array", OnlyError(Decode<UserRequest>), "[]", "must be a JSON object"},
      {"no name", OnlyError(Decode<UserRequest>), R"({"admin":true})", "\"name\" must be given"},
      {"null name", OnlyError(Decode<UserRequest>), R"({"name":null})", "\"name\" must be given"},
      {"number as name", OnlyError(Decode<UserRequest>), R"({"name":1})", "a string"},
      {"text as flag", OnlyError(Decode<UserRequest>), R"({"name":"a","admin":"yes"})",
       "\"admin\""},
      {"number as flag", OnlyError(Decode<UserRequest>), R"({"name":"a","admin":1})", "\"admin\""},
      {"nameless", OnlyError(Decode<NameRequest>), "{}", "\"name\" must be given"},
      {"no language", OnlyError(Decode<LanguageRequest>), "{}", "\"language\" must be given"},
      {"empty name", OnlyError(Decode<NameRequest>), R"({"name":""})", "\"name\" must be given"},
      {"no kind", OnlyError(Decode<Account>), R"({"name":"a"})", "\"kind\" must be given"},
      {"time not text", OnlyError(Decode<Account>), R"({"kind":"user","name":"a","disabled":true})",
       "a string"},
      {"email not text", OnlyError(Decode<Account>),
       R"({"kind":"user","name":"a","email":["b@c"]})", "a string"},
      {"no users", OnlyError(Decode<UserList>), R"({"services":[]})", "\"users\" must be an array"},
      {"no services", OnlyError(Decode<ServiceList>), "{}", "\"services\" must be an array"},
      {"null user", OnlyError(Decode<UserList>), R"({"users":[null]})", "array of objects"},
      {"no group", OnlyError(Decode<Group>), "{}", "\"name\" must be given"},
      {"groups text", OnlyError(Decode<GroupList>), R"({"groups":"a"})", "must be an array"},
      {"member text", OnlyError(Decode<MemberList>), R"({"members":["a"]})", "array of objects"},
      {"no wish", OnlyError(DecodeNamespaceRequest), "{}", "\"publish\" is needed"},
      {"null words", OnlyError(DecodeNamespaceRequest), R"({"title":null,"description":null})",
       "\"publish\" is needed"},
      {"title number", OnlyError(DecodeNamespaceRequest), R"({"title":1})", "\"title\""},
      {"description list", OnlyError(DecodeNamespaceRequest), R"({"description":["a"]})",
       "a string"},
      {"title flag", OnlyError(Decode<Namespace>),
       R"({"name":"a","visibility":"public","title":true})", "\"title\""},
      {"visibility flag", OnlyError(DecodeNamespaceRequest), R"({"visibility":true})", "a string"},
      {"no role", OnlyError(Decode<RoleRequest>), R"({"Role":"owner"})", "\"role\" must be given"},
      {"cut off", OnlyError(Decode<RoleRequest>), R"({"role":"own)", "not valid JSON"},
      {"namespace bare", OnlyError(Decode<Namespace>), R"({"name":"a"})", "\"visibility\""},
      {"no namespaces", OnlyError(Decode<NamespaceList>), "{}", "\"namespaces\" must be an array"},
      {"grant bare", OnlyError(Decode<Grant>), R"({"kind":"user","name":"a"})", "\"role\""},
      {"null grants", OnlyError(Decode<GrantList>), R"({"grants":null})", "must be an array"},
  };
  for (const DocumentRefusal& refusal : kRefusals) {
    Status status = refusal.decode(refusal.body);
    ASSERT_FALSE(status) << refusal.name;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid) << refusal.name;
    EXPECT_NE(status.error().message.find(refusal.message_part), std::string::npos)
        << refusal.name << ": " << status.error().message;
  }
}

}  // namespace
}  // namespace koya::wire
