// What every catalog must do: the audit log has what changed, and nothing else. The log itself is
// in audit_catalog_suite.cc, and so are plain changes. See catalog_suite_base.h.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/access_suite_base.h"
#include "catalog/audit_catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/provider_suite_base.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/audit_record.h"
#include "domain/provider_record.h"
#include "domain/signing_key_record.h"
#include "domain/upstream_record.h"

namespace koya {
namespace {

class AuditedChangeSuite : public AccessSuiteBase {
 protected:
  // Of each change since it was last asked, oldest first: "group.add group:Dev  {…} {…}": action,
  // target, namespace, before, after.
  Texts Log() {
    auto records = RunTask(audit().ListAudit({}, 1000));
    EXPECT_TRUE(records) << records.error().message << records.error().detail;
    Texts texts;
    for (const AuditRecord& record : records.value_or(std::vector<AuditRecord>())) {
      if (record.id <= last_) break;
      const AuditEntry& entry = record.entry;
      EXPECT_EQ(entry.by, Tester());
      EXPECT_EQ(entry.kind, AuditKind::kChange);
      texts.push_back(fmt::format("{} {} {} {} {}", entry.action, entry.target, entry.ns,
                                  entry.before, entry.after));
    }
    if (!records->empty()) last_ = records->front().id;
    std::ranges::reverse(texts);
    return texts;
  }
  // What changes nothing is neither in the audit log nor in that of changes.
  template <class T>
  void ExpectNothing(const Result<T>& result) {
    this->ExpectDone(result);
    EXPECT_EQ(Log(), Texts{});
    EXPECT_EQ(this->News(), Texts{});
  }
  void Begin() {
    Log();
    this->News();
  }

  Result<UpstreamRelease> Import(const UpstreamRelease& release) {
    auto kept = RunTask(upstream_releases().ImportRelease(Tester(), release));
    this->ExpectDone(kept);
    return kept;
  }
  Result<UpstreamModuleVersion> ImportModule(const UpstreamModuleVersion& version) {
    auto kept = RunTask(upstream_modules().ImportModule(Tester(), version));
    this->ExpectDone(kept);
    return kept;
  }
  Result<bool> LetGo(std::string_view key, const UpstreamPackage& package) {
    return RunTask(
        upstream_holdings().ReleasePackage(Tester(), Remote(key), V("1.0.0"), package.platform));
  }

  static std::string Of(const UpstreamPackage& package) {
    return fmt::format("{} {}", package.platform.ToString(), package.digest.ToString());
  }

 private:
  std::int64_t last_ = 0;
};
INSTANTIATE_CATALOG_SUITE(AuditedChangeSuite);

TEST_P(AuditedChangeSuite, WhatChangesNothingIsNotWritten) {
  this->AddNamespace("acme", Visibility::kInternal);
  this->AddUser("ann");
  this->AddGroup("dev");
  this->AddMember("dev", "ann");
  this->Grant("acme", GranteeKind::kUser, "ann", Role::kOwner);
  const SigningKeyRecord key = SampleKey("acme");
  ASSERT_TRUE(RunTask(keys().AddKey(Tester(), key)));
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  ASSERT_TRUE(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
  auto deprecate = [&](const char* message) {
    return RunTask(
        providers().DeprecateRelease(Tester(), release.address, release.version, message));
  };
  ASSERT_TRUE(deprecate("old"));
  ASSERT_TRUE(this->Disable("ann"));
  this->Begin();

  this->ExpectNothing(RunTask(namespaces().SetVisibility(Tester(), "ACME", Visibility::kInternal)));
  this->ExpectNothing(RunTask(namespaces().SetSemver(Tester(), "ACME", std::nullopt)));
  this->ExpectNothing(RunTask(namespaces().SetNamespaceWords(Tester(), "ACME", {.title = ""})));
  this->ExpectNothing(RunTask(namespaces().SetNamespaceWords(Tester(), "ACME", {})));
  GrantRecord grant = SampleGrant("ACME", GranteeKind::kUser, "ANN", Role::kOwner);
  grant.granted_by = "somebody else";
  this->ExpectNothing(RunTask(namespaces().PutGrant(Tester(), grant)));
  EXPECT_EQ(RunTask(namespaces().ListGrants("acme"))->front().granted_by, "admin");
  const MemberRecord ann{AccountKind::kUser, "ANN", ""};
  this->ExpectNothing(RunTask(accounts().AddMember(Tester(), "DEV", ann)));
  this->ExpectNothing(RunTask(accounts().SetDisabled(Tester(), AccountKind::kUser, "Ann", 5)));
  EXPECT_EQ(this->Find("ann")->disabled_at, kSuiteNow);
  SigningKeyRecord again = key;
  again.added_by = "somebody else";
  this->ExpectNothing(RunTask(keys().AddKey(Tester(), again)));
  EXPECT_EQ(RunTask(keys().FindKey("acme", key.fingerprint)), key);
  this->ExpectNothing(deprecate("old"));
  ASSERT_TRUE(RunTask(accounts().SetDisabled(Tester(), AccountKind::kUser, "ann", std::nullopt)));
  this->Begin();
  this->ExpectNothing(
      RunTask(accounts().SetDisabled(Tester(), AccountKind::kUser, "ann", std::nullopt)));
}

TEST_P(AuditedChangeSuite, TargetsAreSpelledAsTheyAreStored) {
  this->AddNamespace("Acme");
  this->AddUser("Ann");
  this->AddGroup("Dev");
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), Record("Acme/Vpc/aws", "1.0.0"))));
  this->Begin();
  const MemberRecord ann{AccountKind::kUser, "aNN", "okta"};
  ASSERT_TRUE(RunTask(accounts().AddMember(Tester(), "dEV", ann)));
  ASSERT_TRUE(RunTask(accounts().RemoveMember(Tester(), "dEV", ann)));
  this->Grant("aCME", GranteeKind::kUser, "aNN", Role::kOwner);
  this->Grant("aCME", GranteeKind::kGroup, "dEV", Role::kReader);
  ASSERT_TRUE(RunTask(namespaces().RemoveGrant(Tester(), "aCME", GranteeKind::kUser, "aNN")));
  ASSERT_TRUE(RunTask(namespaces().RemoveGrant(Tester(), "aCME", GranteeKind::kGroup, "dEV")));
  ASSERT_TRUE(RunTask(accounts().RemoveGroup(Tester(), "dEV")));
  ASSERT_TRUE(this->Disable("aNN"));
  ASSERT_TRUE(this->Remove("aNN"));
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), Record("ACME/VPC/aws", "2.0.0"))));
  ASSERT_TRUE(RunTask(modules().Withdraw(Tester(), Address("aCME/vPC/aws"), V("1.0.0"), {})));
  Texts targets;
  for (const std::string& text : this->Log()) targets.push_back(text.substr(0, text.find(" {")));
  EXPECT_EQ(targets,
            (Texts{"group.add group:Dev  ", "group.remove group:Dev ", "grant.put user:Ann acme ",
                   "grant.put group:Dev acme ", "grant.remove user:Ann acme",
                   "grant.remove group:Dev acme", "group.delete group:Dev   ",
                   "account.disable user:Ann ", "account.delete user:Ann ",
                   "module.publish module:Acme/Vpc/aws@2.0.0 acme ",
                   "module.withdraw module:Acme/Vpc/aws@1.0.0 acme "}));
}

TEST_P(AuditedChangeSuite, WhatGoesWithAGroupOrAnAccountIsNamed) {
  for (const char* name : {"Acme", "beta"}) this->AddNamespace(name);
  for (const char* user : {"Ann", "zoe"}) this->AddUser(user);
  this->AddService("Ann");
  for (const char* group : {"Dev", "Ops"}) this->AddGroup(group);
  this->AddMember("ops", "ann");
  this->AddMember("dev", "ann");
  this->AddMember("dev", "zoe");
  for (const char* source : {"", "okta"}) {
    const MemberRecord robot{AccountKind::kService, "ann", source};
    ASSERT_TRUE(RunTask(accounts().AddMember(Tester(), "dev", robot)));
  }
  this->Grant("beta", GranteeKind::kGroup, "dev", Role::kOwner);
  this->Grant("acme", GranteeKind::kGroup, "dev", Role::kPublisher);
  this->Grant("acme", GranteeKind::kUser, "ann", Role::kReader);
  this->Grant("beta", GranteeKind::kService, "ann", Role::kPublisher);
  TokenRecord token = SampleToken("laptop", this->Find("ann")->id);
  this->AddToken(token);
  this->Begin();
  ASSERT_TRUE(this->Remove("ann"));
  ASSERT_TRUE(RunTask(accounts().RemoveGroup(Tester(), "dev")));
  ASSERT_TRUE(this->Remove("ann", AccountKind::kService));
  ASSERT_TRUE(this->Remove("zoe"));
  EXPECT_EQ(
      this->Log(),
      (Texts{"account.delete user:Ann  "
             R"({"id":"id of user Ann","tokens":["laptop"],"roles":["Acme:reader"],)"
             R"("groups":["Dev","Ops"]} )",
             "group.delete group:Dev  "
             R"({"members":["user:zoe","service:Ann"],"roles":["Acme:publisher","beta:owner"]} )",
             "account.delete service:Ann  "
             R"({"id":"id of service Ann","roles":["beta:publisher"]} )",
             R"(account.delete user:zoe  {"id":"id of user zoe"} )"}));
}

TEST_P(AuditedChangeSuite, AListOfWhatGoesIsBounded) {
  this->AddUser("ann");
  for (int i = 0; i < 25; ++i) {
    const std::string name = fmt::format("n{:02}", i);
    this->AddNamespace(name);
    this->Grant(name, GranteeKind::kUser, "ann", Role::kReader);
  }
  this->Begin();
  ASSERT_TRUE(this->Remove("ann"));
  const std::string text = this->Log().at(0);
  EXPECT_TRUE(text.contains(R"("n19:reader","and 5 more"])")) << text;
}

TEST_P(AuditedChangeSuite, AResealedKeyIsNamedAndItsSecretIsNot) {
  SigningKeyRecord key = SampleKey("acme");
  key.sealed_secret = "c2VhbGVk";
  key.server_made = true;
  ASSERT_TRUE(RunTask(keys().ReplaceServerKey(Tester(), key, "")));
  this->Begin();
  EXPECT_FALSE(RunTask(keys().ResealKey(Tester(), key, "\xff")));
  ASSERT_TRUE(RunTask(keys().ResealKey(Tester(), key, "b3RoZXI")));
  EXPECT_FALSE(RunTask(keys().ResealKey(Tester(), key, "dGhpcmQ"))) << "another one by now";
  EXPECT_EQ(this->Log(), Texts{fmt::format("key.reseal key:{} acme  ", key.fingerprint)});
}

TEST_P(AuditedChangeSuite, ImportsOfReleasesAreWrittenWithWhatTheyAdded) {
  const std::string change = "mirror.import provider:registry.example.com/acme/demo@1.0.0   ";
  UpstreamRelease brought = SampleUpstreamRelease(kRemote, "1.0.0");
  const UpstreamRelease documents = brought;
  brought.sums.reset();
  brought.signature.reset();
  const UpstreamPackage linux = SampleHeldPackage("linux_amd64", "content");
  brought.packages = {linux};
  EXPECT_EQ(this->Import(brought), brought);
  EXPECT_EQ(this->Log(),
            Texts{change + fmt::format(R"({{"pinned":["{0}"],"held":["{0}"]}})", this->Of(linux))});
  EXPECT_EQ(this->News(), Texts{"mirror:registry.example.com/acme/demo"});
  this->ExpectNothing(this->Import(brought));

  auto kept = this->Import(documents);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->sums, documents.sums);
  EXPECT_TRUE(kept->packages[1].held);
  EXPECT_EQ(this->Log(),
            Texts{change + fmt::format(R"({{"sums":"{}","fit_for_origin":"yes","pinned":["{}"]}})",
                                       documents.sums->digest.ToString(),
                                       this->Of(documents.packages[0]))});
  this->News();
  this->ExpectNothing(this->Import(documents));

  brought.packages = {SampleHeldPackage("darwin_arm64", "content", kSuiteNow + 3)};
  kept = this->Import(brought);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->packages, (std::vector{brought.packages[0], linux}));
  EXPECT_EQ(this->Log(),
            Texts{change + fmt::format(R"({{"held":["{}"]}})", this->Of(brought.packages[0]))});
  EXPECT_EQ(this->News(), Texts{"mirror:registry.example.com/acme/demo"});
  brought.packages = {SampleHeldPackage("darwin_arm64", "other")};
  this->ExpectNothing(this->Import(brought));
  EXPECT_EQ(RunTask(upstream_releases().FindUpstreamRelease(Remote(kRemote), V("1.0.0"))), kept)
      << "the caller compares";
}

TEST_P(AuditedChangeSuite, ImportsOfModulesAreWritten) {
  const std::string change = "mirror.import module:registry.example.com/Acme/vpc/aws@1.0.0   ";
  UpstreamModuleVersion module = SampleUpstreamModule("registry.example.com/Acme/vpc/aws", "1.0.0");
  EXPECT_EQ(this->ImportModule(module), module);
  const std::string digest = module.digest.ToString();
  EXPECT_EQ(this->Log(),
            Texts{change + fmt::format(R"({{"pinned":"{0}","source":"{1}","held":"{0}"}})", digest,
                                       module.source)});
  this->News();
  UpstreamModuleVersion other_case = module;
  other_case.module = RemoteModule("registry.example.com/ACME/VPC/aws");
  this->ExpectNothing(this->ImportModule(other_case));
  ASSERT_EQ(RunTask(upstream_holdings().ReleaseModule(Tester(), other_case.module, V("1.0.0"))),
            true);
  ASSERT_EQ(RunTask(upstream_holdings().ReleaseModule(Tester(), other_case.module, V("1.0.0"))),
            false);
  EXPECT_EQ(this->Log(),
            Texts{fmt::format("mirror.remove module:registry.example.com/Acme/vpc/aws@1.0.0  "
                              R"({{"held":"{}"}} )",
                              digest)});
  this->ImportModule(other_case);
  EXPECT_EQ(this->Log(), Texts{change + fmt::format(R"({{"held":"{}"}})", digest)});
  this->News();
  other_case.digest = Digest::Of("other");
  this->ExpectNothing(this->ImportModule(other_case));
}

TEST_P(AuditedChangeSuite, LettingGoOfBytesIsWrittenForWhoeverHeldThem) {
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "shared");
  UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  module.digest = package.digest;
  for (const char* key : {"a.example/acme/demo", "b.example/acme/demo"}) {
    UpstreamRelease release = SampleUpstreamRelease(key, "1.0.0");
    release.packages = {package};
    this->Import(release);
  }
  this->ImportModule(module);
  this->Begin();
  const std::string held = fmt::format(R"({{"held":"{}"}})", this->Of(package));
  EXPECT_EQ(this->LetGo("a.example/acme/demo", package), false);
  EXPECT_EQ(this->Log(), Texts{"mirror.remove provider:a.example/acme/demo@1.0.0  " + held + " "});
  this->News();
  this->ExpectNothing(this->LetGo("a.example/acme/demo", package));
  EXPECT_FALSE(this->LetGo("c.example/acme/demo", package));
  EXPECT_EQ(RunTask(upstream_holdings().ReleaseHeld(Tester(), package.digest, "damaged")), 2U);
  const std::string why = R"({"reason":"damaged"})";
  EXPECT_EQ(
      this->Log(),
      (Texts{fmt::format("mirror.remove module:registry.example.com/acme/vpc/aws@1.0.0  "
                         R"({{"held":"{}"}} {})",
                         package.digest.ToString(), why),
             fmt::format("mirror.remove provider:b.example/acme/demo@1.0.0  {} {}", held, why)}));
  this->News();
  this->ExpectNothing(
      RunTask(upstream_holdings().ReleaseHeld(Tester(), package.digest, "damaged")));
}

TEST_P(AuditedChangeSuite, WhatTheMirrorDoesByItselfIsNobodysChange) {
  const UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  for (bool add_platforms : {false, true}) {
    ASSERT_TRUE(RunTask(upstream_releases().PinRelease(release, add_platforms)));
  }
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "content");
  ASSERT_TRUE(RunTask(upstream_releases().HoldPackage(release.provider, release.version, package)));
  ASSERT_TRUE(RunTask(upstream_modules().PinModule(SampleUpstreamModule(kRemoteModule, "1.0.0"))));
  auto evicted =
      RunTask(upstream_holdings().EvictHeld({.max_bytes = 0, .hosts = {release.provider.host}}));
  ASSERT_TRUE(evicted);
  EXPECT_EQ(evicted->size(), 2U);
  EXPECT_EQ(this->Log(), Texts{});
}

}  // namespace
}  // namespace koya
