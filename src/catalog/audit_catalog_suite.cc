// What every catalog must do: the audit log. See catalog_suite_base.h.
#include <fmt/format.h>

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
#include "catalog/token_catalog.h"
#include "domain/audit_record.h"
#include "domain/module_record.h"
#include "domain/provider_record.h"
#include "domain/signing_key_record.h"

namespace koya {
namespace {

// What the log is to say of a change that the tester made.
struct ExpectedChange {
  std::string action, target, ns, before, after;
};

class AuditCatalogSuite : public CatalogSuiteBase {
 protected:
  void Append(std::vector<AuditEntry> entries) {
    Status appended = RunTask(audit().AppendAudit(std::move(entries)));
    EXPECT_TRUE(appended) << appended.error().message << appended.error().detail;
  }
  // One at each of these times, the action its number.
  void AppendAt(const std::vector<UnixSeconds>& times) {
    for (UnixSeconds at : times) {
      AuditEntry entry = SampleAuditEntry(std::to_string(at));
      entry.at = at;
      Append({entry});
    }
  }
  std::vector<AuditRecord> Records(AuditFilter filter = {}, std::uint64_t limit = 1000) {
    auto records = RunTask(audit().ListAudit(std::move(filter), limit));
    EXPECT_TRUE(records) << records.error().message << records.error().detail;
    return records.value_or(std::vector<AuditRecord>());
  }
  static Texts ActionsOf(const std::vector<AuditRecord>& records) {
    Texts actions;
    for (const AuditRecord& record : records) actions.push_back(record.entry.action);
    return actions;
  }
  Texts Actions(AuditFilter filter = {}, std::uint64_t limit = 1000) {
    return ActionsOf(Records(std::move(filter), limit));
  }
  // These are all there are, oldest first.
  void ExpectChanges(const std::vector<ExpectedChange>& expected) {
    std::vector<AuditRecord> records = Records();
    ASSERT_EQ(records.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const AuditEntry& entry = records[records.size() - 1 - i].entry;
      EXPECT_EQ(entry.by, Tester()) << i;
      EXPECT_EQ(entry.kind, AuditKind::kChange) << i;
      EXPECT_EQ(entry.action, expected[i].action) << i;
      EXPECT_EQ(entry.target, expected[i].target) << i;
      EXPECT_EQ(entry.ns, expected[i].ns) << i;
      EXPECT_EQ(entry.before, expected[i].before) << i;
      EXPECT_EQ(entry.after, expected[i].after) << i;
    }
  }
  std::uint64_t Chain(std::uint64_t most = 1000) {
    auto linked = RunTask(audit().ChainAudit(most));
    EXPECT_TRUE(linked) << linked.error().message << linked.error().detail;
    return linked.value_or(0);
  }
  bool HasUnlinked() { return RunTask(audit().HasUnlinkedAudit()).value(); }
  std::uint64_t Trim(UnixSeconds before, std::uint64_t most = 1000) {
    auto trimmed = RunTask(audit().TrimAudit(before, most));
    EXPECT_TRUE(trimmed) << trimmed.error().message << trimmed.error().detail;
    return trimmed.value_or(0);
  }
  AuditEnds Ends() { return RunTask(audit().FindAuditEnds()).value(); }
  std::vector<AuditRecord> Links(std::int64_t after = 0, std::uint64_t limit = 1000) {
    return RunTask(audit().ListAuditChain(after, limit)).value();
  }
  // Walks the whole chain. Returns how long it is.
  std::uint64_t ExpectWhole() {
    const AuditEnds ends = Ends();
    AuditAnchor last = ends.anchor;
    std::uint64_t length = 0;
    for (auto page = Links(last.sequence, 7); !page.empty(); page = Links(last.sequence, 7)) {
      for (const AuditRecord& record : page) {
        last = NextAuditLink(last, record.entry);
        EXPECT_EQ(record.link, std::optional(last)) << last.sequence;
        ++length;
      }
    }
    EXPECT_EQ(last, ends.head);
    return length;
  }
};
INSTANTIATE_CATALOG_SUITE(AuditCatalogSuite);

TEST_P(AuditCatalogSuite, WhatIsWrittenIsRead) {
  EXPECT_TRUE(this->Records().empty());
  AuditEntry denied = SampleAuditEntry("GET /api/v1/tokens", "");
  denied.kind = AuditKind::kDenied;
  denied.count = 12;
  denied.after = R"({"status":403})";
  denied.by = {};
  denied.ns = "";
  this->Append({SampleAuditEntry("token.add"), denied});
  this->Append({});
  const std::vector<AuditRecord> records = this->Records();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].entry, denied);
  EXPECT_EQ(records[1].entry, SampleAuditEntry("token.add"));
  EXPECT_GT(records[0].id, records[1].id);
  EXPECT_EQ(records[0].link, std::nullopt);
}

TEST_P(AuditCatalogSuite, WhatStrangersWereDeniedIsInNoChainAndGoesByItself) {
  auto denied = [](UnixSeconds at, std::string who) {
    AuditEntry entry = SampleAuditEntry("denied " + who + std::to_string(at));
    entry.kind = AuditKind::kDenied;
    entry.at = at;
    entry.by.name = std::move(who);
    return entry;
  };
  AuditEntry change = SampleAuditEntry("change");
  change.at = 1;
  this->Append({denied(1, ""), denied(2, ""), denied(3, "")});
  EXPECT_FALSE(this->HasUnlinked());
  EXPECT_EQ(this->Chain(), 0U);
  this->Append({denied(1, "token:ci"), change, denied(4, "")});
  EXPECT_TRUE(this->HasUnlinked());
  EXPECT_EQ(this->Chain(), 2U);
  EXPECT_FALSE(this->HasUnlinked());
  EXPECT_EQ(this->ExpectWhole(), 2U);
  auto trim = [this](UnixSeconds before, std::uint64_t most) {
    return RunTask(audit().TrimAnonymousAudit(before, most)).value();
  };
  EXPECT_EQ(trim(1, 1000), 0U);
  EXPECT_EQ(trim(4, 1), 1U) << "the oldest";
  EXPECT_EQ(this->Actions(),
            (Texts{"denied 4", "change", "denied token:ci1", "denied 3", "denied 2"}));
  EXPECT_EQ(trim(4, 1000), 2U);
  EXPECT_EQ(this->Actions(), (Texts{"denied 4", "change", "denied token:ci1"}));
  EXPECT_EQ(this->ExpectWhole(), 2U);
}

TEST_P(AuditCatalogSuite, TextsOfOthersAreCutAndLegible) {
  AuditEntry entry = SampleAuditEntry("a", std::string(10'000, 'x'));
  entry.by = {.name = std::string(1000, 'n'),
              .token = std::string("a\0b", 3),
              .address = "\xff",
              .user_agent = "a\nb'; DROP TABLE audit; --",
              .request_id = std::string(255, 'r') + "日日日"};
  entry.ns = "ACME";
  this->Append({entry});
  const AuditEntry kept = this->Records().at(0).entry;
  EXPECT_TRUE(kept.by.name.ends_with("n…"));
  for (const std::string& text : {kept.by.name, kept.by.request_id}) {
    EXPECT_LE(text.size(), Actor::kMostText);
    EXPECT_GE(text.size(), Actor::kMostText - 16);
  }
  EXPECT_EQ(kept.by.token, "a\\x00b");
  EXPECT_EQ(kept.by.address, "\\xff");
  EXPECT_EQ(kept.by.user_agent, "a\\x0ab'; DROP TABLE audit; --");
  EXPECT_LE(kept.target.size(), 512U);
  EXPECT_EQ(kept.ns, "acme");
  this->Chain();
  EXPECT_EQ(this->ExpectWhole(), 1U) << "hashed as it is kept";
}

TEST_P(AuditCatalogSuite, AllEntriesOrNone) {
  for (const std::string& text : {std::string("\xff"), std::string("a\0b", 3)}) {
    AuditEntry before = SampleAuditEntry("second");
    before.before = text;
    AuditEntry after = SampleAuditEntry("second");
    after.after = text;
    for (const AuditEntry& entry : {before, after}) {
      auto status = RunTask(audit().AppendAudit({SampleAuditEntry("first"), entry}));
      EXPECT_EQ(CatalogErrorOf(status), ErrorKind::kInvalid);
    }
  }
  EXPECT_EQ(this->Actions(), Texts{});
}

TEST_P(AuditCatalogSuite, FiltersFindWhatTheySay) {
  auto add = [this](auto alter) {
    AuditEntry entry = SampleAuditEntry("token.add");
    alter(entry);
    this->Append({entry});
  };
  add([](AuditEntry& e) { e.action = "token.revoke"; });
  add([](AuditEntry& e) { e.action = "tokens", e.by.name = "user:adam"; });
  add([](AuditEntry& e) { e.action = "token-x", e.target = "module:acme/vpc/aws@1.0.0"; });
  add([](AuditEntry& e) { e.action = "other", e.ns = "", e.by.address = "2001:db8::1"; });
  add([](AuditEntry& e) { e.action = "late", e.at = kSuiteNow + 60; });
  add([](AuditEntry& e) { e.action = "denied", e.kind = AuditKind::kDenied; });
  struct Case {
    AuditFilter filter;
    Texts actions;
  };
  const Case kCases[] = {
      {{.actor = "USER:ada"}, {"denied", "late", "other", "token-x", "token.revoke"}},
      {{.actor = "user:ad"}, {}},
      {{.actor = "user:ad%"}, {}},
      {{.action = "token"}, {"token.revoke"}},
      {{.action = "token.revoke"}, {"token.revoke"}},
      {{.action = "late,token"}, {"late", "token.revoke"}},
      {{.action = ",other,nothing,"}, {"other"}},
      {{.action = "nothing,toke"}, {}},
      {{.action = "token."}, {}},
      {{.action = "toke"}, {}},
      {{.target = "module:acme/"}, {"token-x"}},
      {{.target = "module:acme/vpc/aws@1.0.0"}, {"token-x"}},
      {{.target = "module:acme/vpc/aws@1.0.00"}, {}},
      {{.target = "MODULE:"}, {}},
      {{.ns = "Acme", .kind = AuditKind::kDenied}, {"denied"}},
      {{.ns = "acm"}, {}},
      {{.address = "2001:db8::1"}, {"other"}},
      {{.address = "2001:db8::"}, {}},
      {{.token = "another"}, {}},
      {{.kind = AuditKind::kDenied}, {"denied"}},
      {{.since = kSuiteNow + 1}, {"late"}},
      {{.since = kSuiteNow + 60}, {"late"}},
      {{.since = kSuiteNow + 61}, {}},
      {{.until = kSuiteNow}, {}},
      {{.action = "late", .until = kSuiteNow + 60}, {}},
      {{.action = "late", .until = kSuiteNow + 61}, {"late"}},
      {{.actor = "\xff"}, {}},
      {{.target = std::string("a\0", 2)}, {}},
      {{.below = 0}, {}},
      {{.below = 1}, {}},
  };
  for (const Case& each : kCases) {
    EXPECT_EQ(this->Actions(each.filter), each.actions)
        << each.filter.actor << each.filter.action << each.filter.target << each.filter.ns;
  }
}

TEST_P(AuditCatalogSuite, PagesGoBackInTime) {
  this->AppendAt({1, 2, 3, 4, 5});
  const std::vector<AuditRecord> page = this->Records({}, 2);
  EXPECT_EQ(this->ActionsOf(page), (Texts{"5", "4"}));
  EXPECT_EQ(this->Actions({.below = page.back().id}, 2), (Texts{"3", "2"}));
  EXPECT_EQ(this->Actions({}, 0), Texts{});
  std::vector<AuditEntry> many(1001, SampleAuditEntry("many"));
  this->Append(std::move(many));
  EXPECT_EQ(this->Records({}, 5000).size(), 1000U) << "at most";
}

TEST_P(AuditCatalogSuite, EntriesAreChainedInTheirOrder) {
  EXPECT_EQ(this->Chain(), 0U);
  EXPECT_EQ(this->Ends(), AuditEnds());
  EXPECT_FALSE(this->HasUnlinked());
  this->AppendAt({3, 1, 2});
  EXPECT_TRUE(this->HasUnlinked());
  EXPECT_EQ(this->Ends(), AuditEnds()) << "writing is not linking";
  EXPECT_EQ(this->Links().size(), 0U);
  EXPECT_EQ(this->Chain(2), 2U);
  EXPECT_EQ(this->Chain(2), 1U);
  EXPECT_FALSE(this->HasUnlinked());
  EXPECT_EQ(this->Chain(2), 0U);
  EXPECT_EQ(this->ActionsOf(this->Links()), (Texts{"3", "1", "2"}));
  EXPECT_EQ(this->ExpectWhole(), 3U);
  EXPECT_EQ(this->ActionsOf(this->Links(1, 1)), Texts{"1"});
  EXPECT_EQ(this->Records().at(0).link, std::optional(this->Ends().head));
  this->AppendAt({4});
  EXPECT_EQ(this->Chain(), 1U);
  EXPECT_EQ(this->ExpectWhole(), 4U);
}

TEST_P(AuditCatalogSuite, OldEntriesGoAndTheRestIsWhole) {
  EXPECT_EQ(this->Trim(100), 0U);
  this->AppendAt({1, 2, 9, 3, 4});
  EXPECT_EQ(this->Trim(100), 0U) << "what is not linked stays";
  this->Chain(4);
  EXPECT_EQ(this->Trim(1), 0U);
  EXPECT_EQ(this->Trim(9, 1), 1U);
  EXPECT_EQ(this->Ends().anchor.sequence, 1);
  EXPECT_EQ(this->ExpectWhole(), 3U);
  EXPECT_EQ(this->Trim(9), 1U) << "up to the first that is newer";
  EXPECT_EQ(this->Actions(), (Texts{"4", "3", "9"}));
  EXPECT_EQ(this->Trim(10), 2U);
  EXPECT_EQ(this->Ends().anchor, this->Ends().head) << "nothing is linked";
  EXPECT_EQ(this->ExpectWhole(), 0U);
  EXPECT_EQ(this->Chain(), 1U);
  EXPECT_EQ(this->ExpectWhole(), 1U);
  EXPECT_EQ(this->Ends().head.sequence, 5);
}

TEST_P(AuditCatalogSuite, ChangesOfTokensAreWrittenWithThem) {
  TokenRecord token = SampleToken("ci");
  token.namespaces = {"Acme"};
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), token)));
  EXPECT_FALSE(RunTask(tokens().AddToken(Tester(), token))) << "what fails is no change";
  TokenRecord wider = token;
  wider.secret = Digest::Of("another");
  wider.namespaces = {"acme", "b*"};
  wider.expires_at = kSuiteNow;
  EXPECT_FALSE(RunTask(tokens().ReplaceToken(Tester(), wider, Digest::Of("nobody's"))));
  ASSERT_TRUE(RunTask(tokens().ReplaceToken(Tester(), wider, token.secret)));
  EXPECT_FALSE(RunTask(tokens().RevokeToken(Tester(), "ci", token.secret)));
  ASSERT_TRUE(RunTask(tokens().RevokeToken(Tester(), "ci", wider.secret)));
  const std::vector<AuditRecord> records = this->Records();
  ASSERT_EQ(this->ActionsOf(records), (Texts{"token.revoke", "token.rotate", "token.create"}));
  const std::string narrow = R"({"scope":"publish","namespaces":["Acme"]})";
  const std::string wide =
      R"({"scope":"publish","namespaces":["acme","b*"],"expires":"2023-11-14T22:13:20Z"})";
  EXPECT_EQ(records[2].entry.ns, "acme");
  EXPECT_EQ(records[2].entry.before, "");
  EXPECT_EQ(records[2].entry.after, narrow);
  EXPECT_EQ(records[1].entry.ns, "");
  EXPECT_EQ(records[1].entry.before, narrow);
  EXPECT_EQ(records[1].entry.after, wide);
  EXPECT_EQ(records[0].entry.before, wide);
  EXPECT_EQ(records[0].entry.after, "");
  const UnixSeconds now = SystemClock().Now();
  for (const AuditRecord& record : records) {
    EXPECT_EQ(record.entry.by, Tester());
    EXPECT_EQ(record.entry.target, "token:ci");
    EXPECT_EQ(record.entry.kind, AuditKind::kChange);
    EXPECT_NEAR(static_cast<double>(record.entry.at), static_cast<double>(now), 60.0);
    for (const TokenRecord& each : {token, wider}) {
      EXPECT_FALSE((record.entry.before + record.entry.after).contains(each.secret.hex()));
    }
  }
}

TEST_P(AuditCatalogSuite, ChangesOfNamespacesAndGrantsAreWrittenWithThem) {
  const NamespaceRecord ns{.name = "Acme", .visibility = Visibility::kPrivate};
  ASSERT_TRUE(RunTask(namespaces().AddNamespace(Tester(), ns)));
  EXPECT_EQ(RunTask(namespaces().AddNamespace(Tester(), ns)), false) << "which is no change";
  ASSERT_TRUE(RunTask(namespaces().SetVisibility(Tester(), "ACME", Visibility::kPublic)));
  EXPECT_FALSE(RunTask(namespaces().SetVisibility(Tester(), "none", Visibility::kPublic)));
  ASSERT_TRUE(RunTask(namespaces().SetSemver(Tester(), "ACME", SemverRule::kRefuse)));
  EXPECT_FALSE(RunTask(namespaces().SetSemver(Tester(), "none", SemverRule::kRefuse)));
  ASSERT_TRUE(RunTask(namespaces().SetNamespaceWords(Tester(), "ACME", {.title = "Acme & co"})));
  EXPECT_FALSE(RunTask(namespaces().SetNamespaceWords(Tester(), "none", {.title = "None"})));
  ASSERT_TRUE(RunTask(accounts().AddGroup(Tester(), {.name = "dev"})));
  GrantRecord grant{.ns = "acme", .kind = GranteeKind::kGroup, .grantee = "dev"};
  ASSERT_TRUE(RunTask(namespaces().PutGrant(Tester(), grant)));
  grant.role = Role::kOwner;
  ASSERT_TRUE(RunTask(namespaces().PutGrant(Tester(), grant)));
  ASSERT_TRUE(RunTask(namespaces().RemoveGrant(Tester(), "acme", GranteeKind::kGroup, "dev")));
  EXPECT_FALSE(RunTask(namespaces().RemoveGrant(Tester(), "acme", GranteeKind::kGroup, "dev")));
  const std::string reader = R"({"role":"reader"})";
  const std::string owner = R"({"role":"owner"})";
  this->ExpectChanges(
      {{"namespace.create", "namespace:Acme", "acme", "", R"({"visibility":"private"})"},
       {"namespace.visibility", "namespace:Acme", "acme", R"({"visibility":"private"})",
        R"({"visibility":"public"})"},
       {"namespace.semver", "namespace:Acme", "acme", R"({"semver":"default"})",
        R"({"semver":"refuse"})"},
       {"namespace.words", "namespace:Acme", "acme", R"({"title":"","description":""})",
        R"({"title":"Acme & co","description":""})"},
       {"group.create", "group:dev", "", "", ""},
       {"grant.put", "group:dev", "acme", "", reader},
       {"grant.put", "group:dev", "acme", reader, owner},
       {"grant.remove", "group:dev", "acme", owner, ""}});
}

TEST_P(AuditCatalogSuite, ChangesOfAccountsAndGroupsAreWrittenWithThem) {
  AccountRecord ann{.id = "a1", .kind = AccountKind::kUser, .name = "Ann", .admin = true};
  AccountRecord bot{.id = "b1", .kind = AccountKind::kService, .name = "bot"};
  ASSERT_TRUE(RunTask(accounts().AddAccount(Tester(), ann)));
  EXPECT_FALSE(RunTask(accounts().AddAccount(Tester(), ann))) << "what fails is no change";
  EXPECT_FALSE(RunTask(accounts().SetDisabled(Tester(), ann.kind, "ann", 0))) << "the last one";
  ASSERT_TRUE(RunTask(accounts().AddAccount(Tester(), bot)));
  ASSERT_TRUE(RunTask(accounts().SetDisabled(Tester(), bot.kind, "bot", 0)));
  ASSERT_TRUE(RunTask(accounts().SetDisabled(Tester(), bot.kind, "bot", std::nullopt)));
  ASSERT_TRUE(RunTask(accounts().SetDisabled(Tester(), bot.kind, "bot", std::nullopt)));
  ASSERT_TRUE(RunTask(accounts().AddGroup(Tester(), {.name = "dev"})));
  const MemberRecord member{AccountKind::kService, "bot", ""};
  ASSERT_TRUE(RunTask(accounts().AddMember(Tester(), "dev", member)));
  ASSERT_TRUE(RunTask(accounts().AddMember(Tester(), "dev", member))) << "which is no change";
  ASSERT_TRUE(RunTask(accounts().RemoveMember(Tester(), "dev", member)));
  EXPECT_FALSE(RunTask(accounts().RemoveMember(Tester(), "dev", member)));
  ASSERT_TRUE(RunTask(accounts().RemoveGroup(Tester(), "dev")));
  ASSERT_TRUE(RunTask(accounts().RemoveAccount(Tester(), bot.kind, "BOT")));
  const std::string enabled = R"({"id":"b1"})";
  const std::string disabled = R"({"id":"b1","disabled":"1970-01-01T00:00:00Z"})";
  const std::string in = R"({"member":"service:bot"})";
  this->ExpectChanges({{"account.create", "user:Ann", "", "", R"({"id":"a1","admin":"yes"})"},
                       {"account.create", "service:bot", "", "", enabled},
                       {"account.disable", "service:bot", "", enabled, disabled},
                       {"account.enable", "service:bot", "", disabled, enabled},
                       {"group.create", "group:dev", "", "", ""},
                       {"group.add", "group:dev", "", "", in},
                       {"group.remove", "group:dev", "", in, ""},
                       {"group.delete", "group:dev", "", "", ""},
                       {"account.delete", "service:bot", "", enabled, ""}});
}

TEST_P(AuditCatalogSuite, ChangesOfModulesAreWrittenWithThem) {
  const ModuleVersionRecord record = Record("acme/vpc/aws", "1.0.0");
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), record)));
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), record))) << "which is no change";
  ASSERT_TRUE(RunTask(modules().Withdraw(Tester(), record.address, record.version,
                                         {.at = 1, .by = "ci", .reason = "leaks \"a\" key"})));
  EXPECT_FALSE(RunTask(modules().Withdraw(Tester(), record.address, record.version, {})));
  const std::string facts =
      fmt::format(R"({{"digest":"{}","size":{}}})", record.digest.ToString(), record.size);
  const std::string target = "module:acme/vpc/aws@1.0.0";
  this->ExpectChanges({{"module.publish", target, "acme", "", facts},
                       {"module.withdraw", target, "acme", "", R"({"reason":"leaks \"a\" key"})"}});
}

TEST_P(AuditCatalogSuite, ChangesOfProvidersAndKeysAreWrittenWithThem) {
  const SigningKeyRecord key = SampleKey("acme");
  ASSERT_TRUE(RunTask(keys().AddKey(Tester(), key)));
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  ASSERT_TRUE(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
  ASSERT_TRUE(RunTask(providers().AddRelease(Tester(), release, std::nullopt))) << "no change";
  for (const char* message : {"old", ""}) {
    ASSERT_TRUE(
        RunTask(providers().DeprecateRelease(Tester(), release.address, release.version, message)));
  }
  ASSERT_TRUE(RunTask(providers().WithdrawRelease(Tester(), release.address, release.version,
                                                  {.at = 1, .by = "ci", .reason = "leak"})));
  ASSERT_TRUE(RunTask(keys().RemoveKey(Tester(), "acme", key.fingerprint, 5)));
  EXPECT_FALSE(RunTask(keys().RemoveKey(Tester(), "acme", key.fingerprint, 5)));
  const std::vector<AuditRecord> records = this->Records();
  EXPECT_EQ(this->ActionsOf(records),
            (Texts{"key.remove", "provider.withdraw", "provider.deprecate", "provider.deprecate",
                   "provider.publish", "key.add"}));
  ASSERT_EQ(records.size(), 6U);
  EXPECT_EQ(records[5].entry.target, "key:" + key.fingerprint);
  EXPECT_EQ(records[0].entry.before, records[5].entry.after);
  EXPECT_EQ(records[4].entry.target, "provider:acme/demo@1.0.0");
  EXPECT_TRUE(records[4].entry.after.contains(release.sums.digest.ToString()));
  EXPECT_EQ(records[3].entry.after, R"({"deprecation":"old"})");
  EXPECT_EQ(records[2].entry.before, records[3].entry.after);
  EXPECT_EQ(records[2].entry.after, "");
  EXPECT_EQ(records[1].entry.after, R"({"reason":"leak"})");
  for (const AuditRecord& record : records) {
    EXPECT_EQ(record.entry.by, Tester());
    EXPECT_EQ(record.entry.ns, "acme");
  }
}

TEST_P(AuditCatalogSuite, WhoeverChainsTrimsAndWritesAtOnceLeavesItWhole) {
  Racers racers;
  std::vector<Status> appended;
  std::vector<Result<std::uint64_t>> linked;
  std::vector<Result<std::uint64_t>> trimmed;
  for (int i = 0; i < 60; ++i) {
    AuditEntry entry = SampleAuditEntry(std::to_string(i));
    racers.Add(audit().AppendAudit({entry, entry}), &appended);
    racers.Add(audit().ChainAudit(3), &linked);
    if (i % 4 == 0) racers.Add(audit().TrimAudit(kSuiteNow + 1, 2), &trimmed);
  }
  racers.Run();
  for (const auto& each : linked) EXPECT_TRUE(each) << each.error().message << each.error().detail;
  for (const auto& each : appended) EXPECT_TRUE(each) << each.error().message;
  std::uint64_t gone = 0;
  for (const auto& each : trimmed) gone += each.value();
  while (this->Chain() > 0) {
  }
  EXPECT_EQ(this->ExpectWhole() + gone, 120U);
  EXPECT_EQ(this->Ends().head.sequence, 120);
}

}  // namespace
}  // namespace koya
