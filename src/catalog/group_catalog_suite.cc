// What every catalog must do: groups and who is in them. See catalog_suite_base.h.
#include <string>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/access_suite_base.h"
#include "catalog/token_catalog.h"

namespace koya {
namespace {

class GroupCatalogSuite : public AccessSuiteBase {
 protected:
  Status Put(const std::string& group, const MemberRecord& member) {
    return RunTask(accounts().AddMember(Tester(), group, member));
  }
  Status Take(const std::string& group, const MemberRecord& member) {
    return RunTask(accounts().RemoveMember(Tester(), group, member));
  }
};
INSTANTIATE_CATALOG_SUITE(GroupCatalogSuite);

TEST_P(GroupCatalogSuite, GroupsAreUniqueWhateverTheLetterCaseAndListedByName) {
  for (const char* name : {"Ops", "dev", "größe %_'"}) this->AddGroup(name);
  this->News();
  for (const char* name : {"ops", "OPS", "Dev", "GRößE %_'"}) {
    this->ExpectFails(RunTask(accounts().AddGroup(Tester(), {.name = name})), ErrorKind::kConflict,
                      "choose another name");
  }
  for (const std::string& text : kUnstorable) {
    for (const GroupRecord& group :
         {GroupRecord{.name = text}, GroupRecord{.name = "new", .created_by = text}}) {
      this->ExpectFails(RunTask(accounts().AddGroup(Tester(), group)), ErrorKind::kInvalid,
                        "must be UTF-8");
    }
  }
  EXPECT_EQ(this->News(), Texts{});
  auto groups = RunTask(accounts().ListGroups());
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_EQ((*groups)[0],
            (GroupRecord{.name = "dev", .created_at = kSuiteNow, .created_by = "admin"}));
  EXPECT_EQ((*groups)[1].name, "größe %_'");
  EXPECT_EQ((*groups)[2].name, "Ops");
}

TEST_P(GroupCatalogSuite, MembersAreListedByKindNameAndSource) {
  this->AddGroup("Dev");
  for (const char* user : {"zoe", "Ann"}) this->AddUser(user);
  this->AddService("ann");
  EXPECT_EQ(this->MembersOf("dev"), Texts{});
  this->News();
  const MemberRecord kMembers[] = {{AccountKind::kService, "ANN", ""},
                                   {AccountKind::kUser, "zoe", ""},
                                   {AccountKind::kUser, "ann", "okta"},
                                   {AccountKind::kUser, "ann", ""},
                                   {AccountKind::kUser, "ann", "Größe's 100%"}};
  for (const MemberRecord& member : kMembers) EXPECT_TRUE(this->Put("dev", member));
  EXPECT_EQ(this->News().size(), 5u);
  for (const MemberRecord& member : kMembers) EXPECT_TRUE(this->Put("DEV", member));
  EXPECT_EQ(this->News(), Texts{}) << "nothing changed";
  EXPECT_EQ(this->MembersOf("DEV"), (Texts{"user Ann by ", "user Ann by Größe's 100%",
                                           "user Ann by okta", "user zoe by ", "service ann by "}));
  EXPECT_TRUE(this->Take("dev", {AccountKind::kUser, "ANN", "okta"}));
  EXPECT_TRUE(this->Take("Dev", {AccountKind::kUser, "zoe", ""}));
  EXPECT_EQ(this->News(), (Texts{"access", "access"}));
  EXPECT_EQ(this->MembersOf("dev"),
            (Texts{"user Ann by ", "user Ann by Größe's 100%", "service ann by "}));
}

TEST_P(GroupCatalogSuite, UnknownGroupsAndMembersAreNotFound) {
  this->AddGroup("dev");
  this->AddGroup("other");
  this->AddUser("ann");
  this->AddMember("dev", "ann");
  this->News();
  const MemberRecord ann{AccountKind::kUser, "ann", ""};
  Texts names = kUnowned;
  names.insert(names.end(), kUnstorable.begin(), kUnstorable.end());
  names.emplace_back("de");
  for (const std::string& name : names) {
    this->ExpectFails(RunTask(accounts().RemoveGroup(Tester(), name)), ErrorKind::kNotFound,
                      "there is no group named");
    this->ExpectFails(RunTask(accounts().ListMembers(name)), ErrorKind::kNotFound,
                      "there is no group named");
    EXPECT_EQ(CatalogErrorOf(this->Put(name, ann)), ErrorKind::kNotFound) << name;
    EXPECT_EQ(CatalogErrorOf(this->Take(name, ann)), ErrorKind::kNotFound) << name;
    const MemberRecord visitor{AccountKind::kUser, name, ""};
    this->ExpectFails(this->Put("dev", visitor), ErrorKind::kNotFound, "there is no user named");
    this->ExpectFails(this->Take("dev", visitor), ErrorKind::kNotFound, "has no such member");
  }
  for (const MemberRecord& member : {MemberRecord{AccountKind::kService, "ann", ""},
                                     MemberRecord{AccountKind::kUser, "ann", "x"},
                                     MemberRecord{AccountKind::kUser, "ann", "\xff"}}) {
    EXPECT_EQ(CatalogErrorOf(this->Take("dev", member)), ErrorKind::kNotFound);
  }
  EXPECT_EQ(CatalogErrorOf(this->Take("other", ann)), ErrorKind::kNotFound);
  for (const std::string& source : kUnstorable) {
    EXPECT_EQ(CatalogErrorOf(this->Put("dev", {AccountKind::kUser, "ann", source})),
              ErrorKind::kInvalid);
  }
  EXPECT_EQ(this->MembersOf("dev"), Texts{"user ann by "});
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(GroupCatalogSuite, ARemovedGroupTakesItsGrantsAndMembershipsAlong) {
  this->AddUser("ann");
  this->AddUser("dev");
  this->AddNamespace("acme");
  for (const char* group : {"Dev", "ops"}) {
    this->AddGroup(group);
    this->AddMember(group, "ann");
    this->Grant("acme", GranteeKind::kGroup, group, Role::kPublisher);
  }
  this->Grant("acme", GranteeKind::kUser, "dev", Role::kReader);
  this->News();
  ASSERT_TRUE(RunTask(accounts().RemoveGroup(Tester(), "DEV")));
  EXPECT_EQ(this->News(), Texts{"access"});
  EXPECT_EQ(this->GrantsOf("acme"), (Texts{"user dev reader", "group ops publisher"}));
  EXPECT_EQ(this->MembersOf("ops"), Texts{"user ann by "});
  this->AddGroup("dev");
  EXPECT_EQ(this->MembersOf("dev"), Texts{}) << "the name alone gives nothing back";
  EXPECT_EQ(this->GrantsOf("acme"), (Texts{"user dev reader", "group ops publisher"}));
}

TEST_P(GroupCatalogSuite, WritersOfGroupsAccountsAndGrantsDoNotWaitForEachOther) {
  this->AddNamespace("acme");
  Racers racers;
  std::vector<Result<void>> results;
  for (int i = 0; i < 60; ++i) {
    const std::string user = "u" + std::to_string(i % 3), group = "g" + std::to_string(i % 2);
    racers.Add(accounts().AddAccount(Tester(), SampleAccount(user)), &results);
    racers.Add(accounts().AddGroup(Tester(), {.name = group}), &results);
    racers.Add(accounts().AddMember(Tester(), group, {AccountKind::kUser, user, ""}), &results);
    const GrantRecord grant = SampleGrant("acme", GranteeKind::kUser, user, Role::kOwner);
    racers.Add(namespaces().PutGrant(Tester(), grant), &results);
    racers.Add(
        tokens().AddToken(Tester(), SampleToken("t" + std::to_string(i), "id of user " + user)),
        &results);
    if (i % 4 == 3) {
      racers.Add(accounts().RemoveAccount(Tester(), AccountKind::kUser, user), &results);
      racers.Add(accounts().RemoveGroup(Tester(), group), &results);
    }
  }
  racers.Run();
  for (const Status& status : results) {
    if (status) continue;
    const ErrorKind kind = status.error().kind;
    EXPECT_TRUE(kind == ErrorKind::kNotFound || kind == ErrorKind::kConflict)
        << status.error().message << status.error().detail;
  }
  for (const char* user : {"u0", "u1", "u2"}) {
    if (this->Find(user)) EXPECT_TRUE(this->Remove(user)) << user;
  }
  EXPECT_EQ(this->GrantsOf("acme"), Texts{});
  EXPECT_EQ(this->TokenNames(), Texts{});
}

}  // namespace
}  // namespace koya
