// What every catalog must do: what users watch, and what happened to it. See catalog_suite_base.h.
#include "catalog/notification_catalog.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/access_suite_base.h"
#include "catalog/audit_catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/record_catalog.h"
#include "catalog/usage_catalog.h"
#include "domain/catalog_records.h"
#include "domain/provider_record.h"
#include "domain/usage_record.h"
#include "domain/watch_record.h"

namespace koya {
namespace {

class WatchCatalogSuite : public AccessSuiteBase {
 protected:
  static WatchSubject Module(const std::string& key) {
    return {WatchKind::kModule, key, key.substr(0, key.find('/'))};
  }
  static WatchSubject Provider(const std::string& key) {
    return {WatchKind::kProvider, key, key.substr(0, key.find('/'))};
  }
  static WatchSubject Namespace(const std::string& key) {
    return {WatchKind::kNamespace, key, key};
  }
  Result<WatchRecord> Watch(const std::string& user, WatchSubject subject,
                            std::optional<WatchMail> mail = {}) {
    return RunTask(watches().PutWatch(SampleAccount(user).id, std::move(subject), mail, kSuiteNow));
  }
  void Publish(const std::string& address, std::string_view version) {
    this->ExpectDone(RunTask(modules().AddVersion(Tester(), Record(address, version))));
  }
  void PublishProvider(const std::string& address, std::string_view version) {
    const ProviderRelease release = SampleRelease(address, version);
    this->ExpectDone(RunTask(keys().AddKey(Tester(), SampleKey(release.address.ns()))));
    this->ExpectDone(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
  }
  static NotificationFilter Of(const std::string& user) {
    return {.account_id = SampleAccount(user).id, .readable = {}};
  }
  std::vector<Notification> Events(NotificationFilter filter, std::uint64_t limit = 100) {
    auto found = RunTask(watches().ListNotifications(filter, limit));
    this->ExpectDone(found);
    auto count = RunTask(watches().CountNotifications(std::move(filter)));
    this->ExpectDone(count);
    if (!found) return {};
    if (found->size() < limit) EXPECT_EQ(*count, found->size());
    return *found;
  }
  // "published module acme/vpc/aws 1.0.0", newest first.
  Texts Lines(NotificationFilter filter, std::uint64_t limit = 100) {
    Texts texts;
    for (const Notification& each : Events(std::move(filter), limit)) {
      texts.push_back(fmt::format("{} {} {} {}", NotificationKindName(each.kind),
                                  WatchKindName(each.of), each.address, each.version));
    }
    return texts;
  }
};
INSTANTIATE_CATALOG_SUITE(WatchCatalogSuite);

TEST_P(WatchCatalogSuite, AWatchIsStoredOnceAndChangesItsMail) {
  this->AddUser("ann");
  this->Publish("Acme/vpc/aws", "1.0.0");
  this->AddNamespace("Acme", Visibility::kPublic);
  const WatchRecord first{.kind = WatchKind::kModule,
                          .address = "Acme/vpc/aws",
                          .ns = "acme",
                          .mail = WatchMail::kOff,
                          .since = kSuiteNow};
  EXPECT_EQ(this->Watch("ann", Module("acme/vpc/aws")), first);
  WatchRecord now = first;
  now.mail = WatchMail::kNow;
  EXPECT_EQ(this->Watch("ann", Module("acme/vpc/aws"), WatchMail::kNow), now);
  EXPECT_EQ(this->Watch("ann", Module("acme/vpc/aws")), now) << "as before";
  this->ExpectDone(this->Watch("ann", Namespace("acme"), WatchMail::kDaily));
  auto listed = RunTask(watches().ListWatches(SampleAccount("ann").id));
  ASSERT_TRUE(listed && listed->size() == 2);
  EXPECT_EQ(listed->front(), now);
  EXPECT_EQ(listed->back().address, "Acme");
  this->ExpectDone(RunTask(watches().RemoveWatch(SampleAccount("ann").id, Module("acme/vpc/aws"))));
  this->ExpectFails(RunTask(watches().RemoveWatch(SampleAccount("ann").id, Module("acme/vpc/aws"))),
                    ErrorKind::kNotFound, "you do not watch the module");
}

TEST_P(WatchCatalogSuite, WhatIsNotThereIsNotWatched) {
  this->AddUser("ann");
  this->Publish("acme/vpc/aws", "1.0.0");
  this->AddNamespace("acme", Visibility::kPublic);
  for (const WatchSubject& subject :
       {Module("acme/vpc/gcp"), Module(""), Module("\xff"), Module("%"), Provider("acme/vpc"),
        Provider("acme/vpc/aws"), Namespace("other"), Namespace("acme/")}) {
    this->ExpectFails(this->Watch("ann", subject), ErrorKind::kNotFound, "there is no");
  }
  this->ExpectFails(this->Watch("zoe", Module("acme/vpc/aws")), ErrorKind::kNotFound,
                    "the account of the watch does not exist");
  this->ExpectDone(this->Watch("ann", Module("acme/vpc/aws")));
  this->ExpectDone(RunTask(accounts().RemoveAccount(Tester(), AccountKind::kUser, "ann")));
  auto listed = RunTask(watches().ListWatches(SampleAccount("ann").id));
  EXPECT_TRUE(listed && listed->empty()) << "they go with the account";
}

TEST_P(WatchCatalogSuite, WhatHappensIsToldToThoseWhoWatchIt) {
  for (const char* user : {"ann", "bob", "eve"}) this->AddUser(user);
  this->AddNamespace("acme", Visibility::kPublic);
  this->Publish("Acme/vpc/aws", "1.0.0");
  this->Publish("acme/vpc/gcp", "1.0.0");
  this->PublishProvider("acme/demo", "2.0.0");
  this->ExpectDone(this->Watch("ann", Module("acme/vpc/aws")));
  this->ExpectDone(this->Watch("bob", Namespace("acme")));
  this->ExpectDone(this->Watch("bob", Provider("acme/demo")));
  ASSERT_TRUE(RunTask(modules().Deprecate(Tester(), Address("acme/vpc/aws"), V("1.0.0"), "old")));
  ASSERT_TRUE(RunTask(modules().Deprecate(Tester(), Address("acme/vpc/aws"), V("1.0.0"), "")));
  ASSERT_TRUE(RunTask(modules().Withdraw(Tester(), Address("acme/vpc/aws"), V("1.0.0"),
                                         Withdrawal{.at = kSuiteNow, .by = "x", .reason = "y"})));
  const Texts of_module = {"withdrawn module Acme/vpc/aws 1.0.0",
                           "deprecated module Acme/vpc/aws 1.0.0",
                           "published module Acme/vpc/aws 1.0.0"};
  EXPECT_EQ(this->Lines(Of("ann")), of_module);
  EXPECT_EQ(this->Lines(Of("bob")),
            (Texts{of_module[0], of_module[1], "published provider acme/demo 2.0.0",
                   "published module acme/vpc/gcp 1.0.0", of_module[2]}))
      << "each once";
  EXPECT_EQ(this->Lines(Of("eve")), Texts{});
  EXPECT_EQ(this->Lines(Of("zoe")), Texts{});
  // In parts, and since a time.
  EXPECT_EQ(this->Lines(Of("bob"), 2), (Texts{of_module[0], of_module[1]}));
  NotificationFilter rest = Of("bob");
  rest.before = this->Events(Of("bob"), 2).back().id;
  EXPECT_EQ(this->Lines(rest).size(), 3U);
  NotificationFilter newer = Of("bob");
  newer.after = rest.before;
  EXPECT_EQ(this->Lines(newer), Texts{of_module[0]});
  NotificationFilter late = Of("bob");
  late.since = SystemClock().Now() + 3600;
  EXPECT_EQ(this->Lines(late), Texts{});
}

TEST_P(WatchCatalogSuite, NothingIsToldOfWhatMayNotBeRead) {
  this->AddUser("ann");
  for (const char* ns : {"open", "closed"}) {
    this->AddNamespace(ns, *ns == 'o' ? Visibility::kPublic : Visibility::kPrivate);
    this->Publish(std::string(ns) + "/vpc/aws", "1.0.0");
    this->ExpectDone(this->Watch("ann", Namespace(ns)));
  }
  const std::string open = "published module open/vpc/aws 1.0.0";
  const std::string closed = "published module closed/vpc/aws 1.0.0";
  NotificationFilter filter = Of("ann");
  filter.readable = {.everything = false, .internal = true};
  EXPECT_EQ(this->Lines(filter), Texts{open});
  filter.readable.named = {"closed"};
  EXPECT_EQ(this->Lines(filter), (Texts{closed, open}));
  filter.readable.named = {"close*"};
  EXPECT_EQ(this->Lines(filter), (Texts{closed, open}));
}

TEST_P(WatchCatalogSuite, MailIsForWatchesThatWantIt) {
  this->AddUser("ann");
  this->AddNamespace("acme", Visibility::kPublic);
  this->Publish("acme/vpc/aws", "1.0.0");
  this->Publish("acme/net/aws", "1.0.0");
  this->ExpectDone(this->Watch("ann", Module("acme/vpc/aws"), WatchMail::kNow));
  this->ExpectDone(this->Watch("ann", Namespace("acme"), WatchMail::kDaily));
  NotificationFilter filter = Of("ann");
  filter.mail = WatchMail::kNow;
  EXPECT_EQ(this->Lines(filter), Texts{"published module acme/vpc/aws 1.0.0"});
  filter.mail = WatchMail::kDaily;
  EXPECT_EQ(this->Lines(filter).size(), 2U);
  filter.mail = WatchMail::kOff;
  EXPECT_EQ(this->Lines(filter), Texts{});
}

TEST_P(WatchCatalogSuite, TheMarkOfWhatWasSeenOnlyMovesOn) {
  this->AddUser("ann");
  const std::string id = SampleAccount("ann").id;
  const auto seen = [&] { return RunTask(watches().FindSeen(id)).value(); };
  EXPECT_EQ(seen().id, 0U);
  ASSERT_TRUE(RunTask(watches().MarkSeen(id, {.id = 7, .at = 10})));
  ASSERT_TRUE(RunTask(watches().MarkSeen(id, {.id = 3, .at = 20})));
  EXPECT_EQ(seen().id, 7U);
  EXPECT_EQ(seen().at, 20);
  ASSERT_TRUE(RunTask(watches().MarkSeen("zoe", {.id = 7, .at = 10})));
  EXPECT_EQ(RunTask(watches().FindSeen("zoe")).value().id, 0U);
}

TEST_P(WatchCatalogSuite, TenThousandAreWatchedAndNoMore) {
  // Written at once, as a backup is: by themselves they take a minute.
  const std::string id = SampleAccount("ann").id;
  std::vector<RecordItem> records{
      RecordTable{"account",
                  {"admin", "created_at", "created_by", "id", "kind", "name", "name_key"}},
      RecordRow{0, kSuiteNow, "admin", id, "user", "ann", "ann"},
      RecordTable{"namespace", {"created_at", "created_by", "name", "name_key", "visibility"}}};
  for (int i = 0; i <= WatchCatalog::kMostWatches; ++i) {
    const std::string name = fmt::format("n{}", i);
    records.push_back(RecordRow{kSuiteNow, "admin", name, name, "public"});
  }
  records.push_back(RecordTable{
      "watch", {"account_id", "address", "created_at", "mail", "namespace_key", "subject"}});
  for (int i = 0; i < WatchCatalog::kMostWatches; ++i) {
    const std::string name = fmt::format("n{}", i);
    records.push_back(RecordRow{id, name, kSuiteNow, "off", name, "namespace:" + name});
  }
  std::size_t at = 0;
  this->ExpectDone(
      this->records().WriteRecords([&records, &at]() -> Result<std::optional<RecordItem>> {
        if (at == records.size()) return std::nullopt;
        return records[at++];
      }));

  const WatchSubject one_more = Namespace(fmt::format("n{}", WatchCatalog::kMostWatches));
  this->ExpectFails(this->Watch("ann", one_more), ErrorKind::kConflict, "you watch 10000 modules");
  this->ExpectDone(this->Watch("ann", Namespace("n5"), WatchMail::kNow));
  this->Publish("n7/vpc/aws", "1.0.0");
  EXPECT_EQ(this->Lines(Of("ann")), Texts{"published module n7/vpc/aws 1.0.0"});
  ASSERT_TRUE(RunTask(watches().RemoveWatch(id, Namespace("n5"))));
  this->ExpectDone(this->Watch("ann", one_more));
}

// ---- mail

class MailCatalogSuite : public WatchCatalogSuite {
 protected:
  // "ann ann@example.com", of all who get mail.
  Texts Recipients() {
    Texts texts;
    for (const MailRecipient& each : RunTask(mail().ListRecipients()).value()) {
      texts.push_back(each.name + " " + each.email);
    }
    return texts;
  }
  static Digest Key(const char* text) { return Digest::Of(text); }
};
INSTANTIATE_CATALOG_SUITE(MailCatalogSuite);

TEST_P(MailCatalogSuite, AnAddressIsSetAndAudited) {
  for (const char* user : {"ann", "bob", "eve"}) this->AddUser(user);
  this->AddService("build");
  EXPECT_EQ(this->Recipients(), Texts{});
  this->ExpectDone(RunTask(mail().SetEmail(Tester(), "ANN", "ann@example.com")));
  this->ExpectDone(RunTask(mail().SetEmail(Tester(), "eve", "eve@example.com")));
  this->ExpectFails(RunTask(mail().SetEmail(Tester(), "zoe", "a@b")), ErrorKind::kNotFound, "zoe");
  this->ExpectFails(RunTask(mail().SetEmail(Tester(), "build", "a@b")), ErrorKind::kNotFound,
                    "build");
  EXPECT_EQ(this->Recipients(), (Texts{"ann ann@example.com", "eve eve@example.com"}));
  EXPECT_EQ(RunTask(accounts().ListEmails()).value()[SampleAccount("ann").id], "ann@example.com");
  const auto entries = RunTask(audit().ListAudit({}, 1));
  ASSERT_TRUE(entries && !entries->empty());
  EXPECT_EQ(entries->front().entry.action, "account.email");
  EXPECT_EQ(entries->front().entry.after, R"({"email":"eve@example.com"})");
  this->ExpectDone(RunTask(accounts().SetDisabled(Tester(), AccountKind::kUser, "eve", kSuiteNow)));
  EXPECT_EQ(this->Recipients(), Texts{"ann ann@example.com"}) << "nor the disabled";
  this->ExpectDone(RunTask(mail().SetMailEnded(SampleAccount("ann").id, true)));
  EXPECT_EQ(this->Recipients(), Texts{}) << "nor those who ended it";
  EXPECT_TRUE(RunTask(mail().FindMailAddress(SampleAccount("ann").id)).value().is_ended);
  this->ExpectDone(RunTask(mail().SetMailEnded(SampleAccount("ann").id, false)));
  this->ExpectDone(RunTask(mail().SetEmail(Tester(), "ann", "")));
  EXPECT_EQ(this->Recipients(), Texts{});
}

TEST_P(MailCatalogSuite, AnAddressThatIsTypedCountsOnceItIsConfirmed) {
  this->AddUser("ann");
  const std::string id = SampleAccount("ann").id;
  const auto confirm = [&](const char* key, UnixSeconds now) {
    return RunTask(mail().ConfirmEmail({.address = "192.0.2.7"}, Key(key), now));
  };
  this->ExpectDone(RunTask(mail().AskEmail(id, "old@example.com", Key("one"), kSuiteNow + 10)));
  this->ExpectDone(RunTask(mail().AskEmail(id, "ann@example.com", Key("two"), kSuiteNow + 10)));
  EXPECT_EQ(RunTask(mail().FindMailAddress(id)).value().asked, "ann@example.com");
  EXPECT_EQ(this->Recipients(), Texts{}) << "it does not count yet";
  this->ExpectFails(confirm("one", kSuiteNow), ErrorKind::kNotFound, "has been used");
  this->ExpectFails(confirm("two", kSuiteNow + 10), ErrorKind::kNotFound, "has expired");
  EXPECT_EQ(confirm("two", kSuiteNow), "ann@example.com");
  EXPECT_EQ(this->Recipients(), Texts{"ann ann@example.com"});
  this->ExpectFails(confirm("two", kSuiteNow), ErrorKind::kNotFound, "has been used");
  this->ExpectFails(RunTask(mail().AskEmail("zoe", "a@b", Key("three"), kSuiteNow)),
                    ErrorKind::kNotFound, "does not exist");
}

TEST_P(MailCatalogSuite, DeprecationsOfUsedVersionsAreFound) {
  for (const char* user : {"ann", "bob"}) this->AddUser(user);
  AccountRecord service = SampleAccount("build", AccountKind::kService);
  service.created_by = "ann";
  this->ExpectDone(RunTask(accounts().AddAccount(Tester(), service)));
  for (const char* version : {"1.0.0", "2.0.0", "3.0.0"}) this->Publish("Acme/vpc/aws", version);
  const auto used = [&](const char* version, const char* by, UsageDay day) {
    return UsageRow{.day = day,
                    .item = UsageItem::Of(Address("acme/vpc/aws"), V(version)),
                    .by = {.principal = by, .label = {}, .client = {}},
                    .counts = {.fetches = 1}};
  };
  ASSERT_TRUE(RunTask(
      usage().AddUsage({"batch",
                        {used("1.0.0", "service:build", 100), used("2.0.0", "user:ann", 100),
                         used("3.0.0", "user:ann", 50), used("3.0.0", "service:other", 100)}})));
  for (const char* version : {"1.0.0", "2.0.0", "3.0.0"}) {
    ASSERT_TRUE(RunTask(modules().Deprecate(Tester(), Address("acme/vpc/aws"), V(version), "old")));
  }
  const auto found = [&](const char* user, std::vector<std::string> names) {
    Texts versions;
    auto events = RunTask(mail().ListUsedDeprecations(Of(user), std::move(names), 90, 100));
    this->ExpectDone(events);
    for (const Notification& each : events.value()) versions.push_back(each.version);
    return versions;
  };
  EXPECT_EQ(found("ann", {"user:ann"}), (Texts{"2.0.0", "1.0.0"}));
  EXPECT_EQ(found("ann", {}), Texts{"1.0.0"}) << "those of her service accounts";
  EXPECT_EQ(found("bob", {"user:bob"}), Texts{});
  EXPECT_TRUE(RunTask(mail().HasVersionChanges(0)).value());
  EXPECT_FALSE(RunTask(mail().HasVersionChanges(RunTask(mail().LatestAuditId()).value())).value());
}

TEST_P(MailCatalogSuite, MarksComeBackAsTheyWere) {
  this->AddUser("ann");
  this->ExpectDone(RunTask(mail().SetEmail(Tester(), "ann", "ann@example.com")));
  EXPECT_EQ(RunTask(mail().ListRecipients()).value().front().marks, MailMarks());
  const MailMarks marks{.mailed_id = 7, .digest_id = 5, .digest_at = 100, .reminded_at = 200};
  this->ExpectDone(RunTask(mail().SetMailMarks(SampleAccount("ann").id, marks)));
  EXPECT_EQ(RunTask(mail().ListRecipients()).value().front().marks, marks);
  this->ExpectDone(RunTask(mail().SetMailMarks("zoe", marks)));
}

}  // namespace
}  // namespace koya
