// What every catalog must do: namespaces and grants. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/access_suite_base.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"

namespace koya {
namespace {

class NamespaceCatalogSuite : public AccessSuiteBase {
 protected:
  Result<NamespaceRecord> FindNs(const std::string& ns) {
    return RunTask(namespaces().FindNamespace(ns));
  }
  // "acme private" for each; "…" when there are more.
  Texts List(const std::string& after = "", std::uint64_t limit = 100) {
    Texts texts;
    auto page = RunTask(namespaces().ListNamespaces({}, after, limit));
    this->ExpectDone(page);
    if (!page) return texts;
    for (const NamespaceRecord& record : page->items) {
      texts.push_back(record.name + " " + std::string(VisibilityName(record.visibility)));
    }
    if (page->more) texts.push_back("…");
    return texts;
  }
};
INSTANTIATE_CATALOG_SUITE(NamespaceCatalogSuite);

TEST_P(NamespaceCatalogSuite, ANamespaceComesBackAsItWasWhateverTheLetterCase) {
  const std::pair<std::string, Texts> kCases[] = {{"Acme", {"acme", "ACME", "Acme"}},
                                                  {"Größe", {"größe", "GRÖßE"}},
                                                  {"My_Team", {"my_team", "MY_TEAM"}},
                                                  {"100%'s", {"100%'S"}}};
  for (const auto& [name, spellings] : kCases) {
    const NamespaceRecord record{.name = name,
                                 .visibility = Visibility::kInternal,
                                 .created_at = kSuiteNow + 3,
                                 .created_by = "Ann é"};
    EXPECT_EQ(RunTask(namespaces().AddNamespace(Tester(), record)), true) << name;
    EXPECT_EQ(this->News(), Texts{"namespace:" + NamespaceKey(name)});
    for (const std::string& spelling : spellings) {
      EXPECT_EQ(this->FindNs(spelling), record) << spelling;
      EXPECT_FALSE(this->AddNamespace(spelling, Visibility::kPublic)) << spelling;
      EXPECT_EQ(this->FindNs(spelling), record) << "it stays as it is";
    }
    EXPECT_EQ(this->News(), Texts{});
  }
}

TEST_P(NamespaceCatalogSuite, UnknownAndUnstorableNamespacesAreRefused) {
  this->AddNamespace("acme");
  this->News();
  Texts names = kUnowned;
  names.insert(names.end(), kUnstorable.begin(), kUnstorable.end());
  names.insert(names.end(), {"acm", "acme2", "acme/", "acm_"});
  for (const std::string& name : names) {
    this->ExpectFails(this->FindNs(name), ErrorKind::kNotFound, "there is no namespace");
    this->ExpectFails(RunTask(namespaces().SetVisibility(Tester(), name, Visibility::kPublic)),
                      ErrorKind::kNotFound, "there is no namespace");
    EXPECT_EQ(this->GrantsOf(name), Texts{});
  }
  for (const std::string& text : kUnstorable) {
    for (const NamespaceRecord& record :
         {NamespaceRecord{.name = text}, NamespaceRecord{.name = "new", .created_by = text}}) {
      this->ExpectFails(RunTask(namespaces().AddNamespace(Tester(), record)), ErrorKind::kInvalid,
                        "must be UTF-8");
    }
  }
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(NamespaceCatalogSuite, OfManyWhoMakeANamespaceOneDoes) {
  Racers racers;
  std::vector<Result<bool>> results;
  for (int i = 0; i < 20; ++i) {
    const NamespaceRecord record{.name = i % 2 == 0 ? "acme" : "ACME"};
    racers.Add(namespaces().AddNamespace(Tester(), record), &results);
  }
  racers.Run();
  int made = 0;
  for (const Result<bool>& each : results) {
    ASSERT_TRUE(each) << each.error().message << each.error().detail;
    made += *each ? 1 : 0;
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(this->News(), Texts{"namespace:acme"});
}

TEST_P(NamespaceCatalogSuite, VisibilityChangesAndIsAnnounced) {
  this->AddNamespace("Größe");
  this->AddNamespace("other");
  this->News();
  for (Visibility visibility : {Visibility::kPublic, Visibility::kInternal, Visibility::kPrivate}) {
    ASSERT_TRUE(RunTask(namespaces().SetVisibility(Tester(), "GRÖßE", visibility)));
    EXPECT_EQ(this->FindNs("größe")->visibility, visibility);
    EXPECT_EQ(this->FindNs("größe")->name, "Größe");
    EXPECT_EQ(this->News(), Texts{"namespace:größe"});
  }
  EXPECT_EQ(this->FindNs("other")->visibility, Visibility::kPrivate);
}

TEST_P(NamespaceCatalogSuite, PagesOfNamespacesAreOrderedAndComplete) {
  for (const char* name : {"zeta", "Acme", "acme-two", "größe", "acme0", "my_team"}) {
    this->AddNamespace(name);
  }
  const Texts all = this->List();
  EXPECT_EQ(all, (Texts{"Acme private", "acme-two private", "acme0 private", "größe private",
                        "my_team private", "zeta private"}));
  EXPECT_EQ(this->List("", 6), all);
  EXPECT_EQ(this->List("", ~std::uint64_t{0}), all);
  EXPECT_EQ(this->List("", 0), Texts{"…"});
  EXPECT_EQ(this->List("ACME", 2), (Texts{"acme-two private", "acme0 private", "…"}));
  EXPECT_EQ(this->List("acme1"), (Texts{"größe private", "my_team private", "zeta private"}));
  EXPECT_EQ(this->List("GRÖßE", 2), (Texts{"my_team private", "zeta private"}));
  for (const char* after : {"zeta", "ZETA", "zz", "\xff"}) EXPECT_EQ(this->List(after), Texts{});
}

TEST_P(NamespaceCatalogSuite, ARuleForNumbersOfVersionsStaysUntilItIsTakenBack) {
  const NamespaceRecord born{.name = "born", .created_at = 1, .semver = SemverRule::kOff};
  ASSERT_TRUE(RunTask(namespaces().AddNamespace(Tester(), born)));
  EXPECT_EQ(this->FindNs("born")->semver, SemverRule::kOff);
  this->AddNamespace("acme");
  EXPECT_EQ(this->FindNs("acme")->semver, std::nullopt);
  this->News();
  for (std::optional<SemverRule> rule :
       {std::optional(SemverRule::kRefuse), std::optional(SemverRule::kWarn),
        std::optional<SemverRule>()}) {
    ASSERT_TRUE(RunTask(namespaces().SetSemver(Tester(), "ACME", rule)));
    EXPECT_EQ(this->FindNs("acme")->semver, rule);
    EXPECT_EQ(this->News(), Texts{"namespace:acme"});
  }
  EXPECT_EQ(CatalogErrorOf(RunTask(namespaces().SetSemver(Tester(), "none", {}))),
            ErrorKind::kNotFound);
}

TEST_P(NamespaceCatalogSuite, ARuleForPublishingStaysUntilItIsChanged) {
  const NamespaceRecord born{.name = "born", .created_at = 1, .publish = PublishRule::kCiOnly};
  ASSERT_TRUE(RunTask(namespaces().AddNamespace(Tester(), born)));
  EXPECT_EQ(this->FindNs("born")->publish, PublishRule::kCiOnly);
  this->AddNamespace("acme");
  EXPECT_EQ(this->FindNs("acme")->publish, PublishRule::kAny);
  this->News();
  for (const PublishRule rule : {PublishRule::kCiOnly, PublishRule::kAny}) {
    for (const Texts& news : {Texts{"namespace:acme"}, Texts{}}) {
      ASSERT_TRUE(RunTask(namespaces().SetPublishRule(Tester(), "ACME", rule)));
      EXPECT_EQ(this->FindNs("acme")->publish, rule);
      EXPECT_EQ(this->News(), news) << "only a change is one";
    }
  }
  EXPECT_EQ(
      CatalogErrorOf(RunTask(namespaces().SetPublishRule(Tester(), "none", PublishRule::kCiOnly))),
      ErrorKind::kNotFound);
}

TEST_P(NamespaceCatalogSuite, WordsOfANamespaceStayUntilTheyAreTakenBack) {
  const NamespaceRecord born{
      .name = "born", .created_at = 1, .words = {.title = "共通基盤", .description = "a\nb 'c'"}};
  ASSERT_TRUE(RunTask(namespaces().AddNamespace(Tester(), born)));
  EXPECT_EQ(this->FindNs("born"), born);
  auto listed = RunTask(namespaces().ListNamespaces({}, "", 10));
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->items, std::vector{born});
  this->AddNamespace("acme");
  EXPECT_EQ(this->FindNs("acme")->words, NamespaceWords());
  this->News();
  struct Step {
    NamespaceWordsChange change;
    NamespaceWords words;
  };
  for (const Step& step : {Step{{.title = "Acme"}, {.title = "Acme"}},
                           Step{{.description = "All."}, {.title = "Acme", .description = "All."}},
                           Step{{.title = ""}, {.description = "All."}},
                           Step{{.title = "New", .description = ""}, {.title = "New"}}}) {
    ASSERT_TRUE(RunTask(namespaces().SetNamespaceWords(Tester(), "ACME", step.change)));
    EXPECT_EQ(this->FindNs("acme")->words, step.words);
    EXPECT_EQ(this->News(), Texts{"namespace:acme"});
  }
  EXPECT_EQ(this->FindNs("born"), born);
}

TEST_P(NamespaceCatalogSuite, WordsThatCannotBeKeptAreRefused) {
  this->AddNamespace("acme");
  this->News();
  EXPECT_EQ(
      CatalogErrorOf(RunTask(namespaces().SetNamespaceWords(Tester(), "none", {.title = "None"}))),
      ErrorKind::kNotFound);
  for (const std::string& text : kUnstorable) {
    for (const NamespaceWordsChange& change :
         {NamespaceWordsChange{.title = text}, NamespaceWordsChange{.description = text}}) {
      EXPECT_EQ(CatalogErrorOf(RunTask(namespaces().SetNamespaceWords(Tester(), "acme", change))),
                ErrorKind::kInvalid);
    }
    const NamespaceRecord strange{.name = "new", .words = {.title = text}};
    EXPECT_EQ(CatalogErrorOf(RunTask(namespaces().AddNamespace(Tester(), strange))),
              ErrorKind::kInvalid);
  }
  EXPECT_EQ(this->FindNs("acme")->words, NamespaceWords());
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(NamespaceCatalogSuite, AGrantTakesThePlaceOfTheOneBefore) {
  this->AddNamespace("Größe");
  this->AddNamespace("other");
  for (const char* user : {"zoe", "Ann"}) this->AddUser(user);
  this->AddService("ann");
  this->AddGroup("Ann");
  this->News();
  this->Grant("größe", GranteeKind::kService, "ann", Role::kReader);
  this->Grant("GRÖßE", GranteeKind::kGroup, "ANN", Role::kPublisher);
  this->Grant("größe", GranteeKind::kUser, "zoe", Role::kOwner);
  this->Grant("größe", GranteeKind::kUser, "ann", Role::kOwner);
  this->Grant("other", GranteeKind::kUser, "ann", Role::kPublisher);
  GrantRecord later = SampleGrant("Größe", GranteeKind::kUser, "aNN", Role::kReader);
  later.granted_at = kSuiteNow + 9;
  later.granted_by = "zoe";
  ASSERT_TRUE(RunTask(namespaces().PutGrant(Tester(), later)));
  EXPECT_EQ(this->News(), Texts(6, "access"));
  EXPECT_EQ(this->GrantsOf("GRÖßE"), (Texts{"user Ann reader", "user zoe owner",
                                            "group Ann publisher", "service ann reader"}));
  later.grantee = "Ann";
  EXPECT_EQ(RunTask(namespaces().ListGrants("größe"))->front(), later);
  EXPECT_EQ(this->GrantsOf("other"), Texts{"user Ann publisher"});

  ASSERT_TRUE(RunTask(namespaces().RemoveGrant(Tester(), "GRÖßE", GranteeKind::kGroup, "ann")));
  ASSERT_TRUE(RunTask(namespaces().RemoveGrant(Tester(), "größe", GranteeKind::kUser, "ANN")));
  EXPECT_EQ(this->News(), (Texts{"access", "access"}));
  EXPECT_EQ(this->GrantsOf("größe"), (Texts{"user zoe owner", "service ann reader"}));
  EXPECT_EQ(this->GrantsOf("other"), Texts{"user Ann publisher"});
}

TEST_P(NamespaceCatalogSuite, GrantsOfUnknownThingsAreNotFound) {
  this->AddNamespace("acme");
  this->AddNamespace("other");
  this->AddUser("ann");
  this->AddService("robot");
  this->AddGroup("dev");
  this->Grant("acme", GranteeKind::kUser, "ann", Role::kReader);
  this->News();
  struct Case {
    std::string ns;
    GranteeKind kind;
    std::string grantee;
    const char* words;  // of what PutGrant says
  };
  std::vector<Case> cases{{"acm", GranteeKind::kUser, "ann", "there is no namespace"},
                          {"%", GranteeKind::kUser, "ann", "there is no namespace"},
                          {"acme", GranteeKind::kUser, "robot", "there is no user named"},
                          {"acme", GranteeKind::kUser, "dev", "there is no user named"},
                          {"acme", GranteeKind::kService, "ann", "there is no service account"},
                          {"acme", GranteeKind::kGroup, "ann", "there is no group named"}};
  for (const std::string& text : kUnstorable) {
    cases.push_back({text, GranteeKind::kUser, "ann", "there is no namespace"});
    cases.push_back({"acme", GranteeKind::kUser, text, "there is no user named"});
    cases.push_back({"acme", GranteeKind::kGroup, text, "there is no group named"});
  }
  for (const Case& c : cases) {
    const GrantRecord grant = SampleGrant(c.ns, c.kind, c.grantee, Role::kOwner);
    this->ExpectFails(RunTask(namespaces().PutGrant(Tester(), grant)), ErrorKind::kNotFound,
                      c.words);
    EXPECT_EQ(CatalogErrorOf(RunTask(namespaces().RemoveGrant(Tester(), c.ns, c.kind, c.grantee))),
              ErrorKind::kNotFound);
  }
  for (auto [kind, grantee] :
       {std::pair{GranteeKind::kService, "robot"}, std::pair{GranteeKind::kGroup, "dev"}}) {
    this->ExpectFails(RunTask(namespaces().RemoveGrant(Tester(), "acme", kind, grantee)),
                      ErrorKind::kNotFound, "has no role in the namespace");
  }
  EXPECT_EQ(CatalogErrorOf(
                RunTask(namespaces().RemoveGrant(Tester(), "other", GranteeKind::kUser, "ann"))),
            ErrorKind::kNotFound);
  GrantRecord strange = SampleGrant("acme", GranteeKind::kUser, "ann", Role::kOwner);
  strange.granted_by = "\xff";
  EXPECT_EQ(CatalogErrorOf(RunTask(namespaces().PutGrant(Tester(), strange))), ErrorKind::kInvalid);
  EXPECT_EQ(this->GrantsOf("acme"), Texts{"user ann reader"});
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(NamespaceCatalogSuite, PagesOfNamespacesSkipTheFirst) {
  for (const char* name : {"a", "b", "c"}) this->AddNamespace(name);
  auto page = RunTask(namespaces().ListNamespaces({}, "", 1, 1));
  this->ExpectDone(page);
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->items[0].name, "b");
  EXPECT_TRUE(page->more);
  EXPECT_TRUE(RunTask(namespaces().ListNamespaces({}, "", 5, UINT64_MAX))->items.empty());
}

TEST_P(NamespaceCatalogSuite, SumsWhatIsPublished) {
  for (const char* name : {"Acme", "acm", "empty"}) this->AddNamespace(name);
  for (const auto& [address, version] :
       {std::pair("acme/vpc/aws", "1.0.0"), std::pair("acme/vpc/aws", "2.0.0"),
        std::pair("acme/lb/aws", "1.0.0"), std::pair("acm/x/aws", "1.0.0"),
        std::pair("acme/gone/aws", "1.0.0")}) {
    this->ExpectDone(RunTask(
        modules().AddVersion(Tester(), Record(address, version, std::string(address) + version))));
  }
  this->ExpectDone(
      RunTask(modules().Withdraw(Tester(), Address("acme/gone/aws"), V("1.0.0"),
                                 {.at = kSuiteNow, .by = "admin", .reason = "a mistake"})));
  this->ExpectDone(RunTask(keys().AddKey(Tester(), SampleKey("acme"))));
  ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  release.published_at = 1'700'000'777;
  this->ExpectDone(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
  Texts names{"ACME", "empty", "nowhere", "\xff"};
  auto sums = RunTask(namespaces().SumNamespaces(names));
  this->ExpectDone(sums);
  ASSERT_EQ(sums->size(), 2U);
  std::uint64_t packages = 0;
  for (const ProviderPackage& each : release.packages) packages += each.size;
  EXPECT_EQ(sums->at("acme"), (NamespaceContents{.modules = 2,
                                                 .providers = 1,
                                                 .bytes = 3 * 4321 + packages,
                                                 .last_published_at = 1'700'000'777}));
  EXPECT_EQ(sums->at("empty"), NamespaceContents());
  EXPECT_TRUE(RunTask(namespaces().SumNamespaces({}))->empty());
}

}  // namespace
}  // namespace koya
