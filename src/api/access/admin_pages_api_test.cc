// The administrator's pages that show how the registry is: who gets them, what they say, and what
// absurd questions are answered.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/browser_fake.h"
#include "base/clock.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/audit_catalog.h"
#include "catalog/blob_ledger.h"
#include "catalog/replica_catalog.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/audit_record.h"
#include "domain/namespace_record.h"
#include "domain/replica_record.h"
#include "domain/storage_record.h"
#include "service/common/job_runs.h"
#include "wire/admin.h"

namespace koya::api {
namespace {

constexpr std::string_view kAdminPassword = "correct horse battery";
const std::vector<std::string> kShownPages = {
    "/-/admin",         "/-/admin/audit",  "/-/admin/audit/proof",
    "/-/admin/grants",  "/-/admin/health", "/-/admin/grants/why",
    "/-/admin/storage", "/-/admin/tokens", "/-/admin/services"};

class AdminPagesTest : public ::testing::Test {
 protected:
  AdminPagesTest() {
    api_.AddUser("ada", std::string(kAdminPassword), true);
    api_.AddUser("eve", std::string(kAdminPassword));
    EXPECT_EQ(ada_.SignIn("ada", kAdminPassword).status, 303U);
    EXPECT_EQ(eve_.SignIn("eve", kAdminPassword).status, 303U);
  }

  static void Done(Task<void> task) { ASSERT_TRUE(RunTask(std::move(task))); }
  Reply Ask(const std::string& target) { return ada_.Open(target); }
  // Whether the page has all of these.
  void ExpectTold(const std::string& target, const std::vector<std::string>& texts,
                  unsigned status = 200) {
    const Reply reply = Ask(target);
    EXPECT_EQ(reply.status, status) << target;
    for (const std::string& text : texts) {
      EXPECT_TRUE(reply.body.contains(text)) << target << " lacks " << text << "\n" << reply.body;
    }
  }
  void Write(int count) {
    std::vector<AuditEntry> entries;
    for (int i = 1; i <= count; ++i) {
      entries.push_back({.at = i,
                         .by = {.name = "user:mallory", .token = "laptop", .address = "192.0.2.9"},
                         .action = "test.write",
                         .target = fmt::format("test:{}", i),
                         .ns = "sandbox",
                         .after = R"({"a":"b"})"});
    }
    ASSERT_TRUE(RunTask(api_.catalog().audit().AppendAudit(std::move(entries))));
    api_.WriteAudit();
  }

  ApiFixture api_;
  FakeBrowser ada_{api_};
  FakeBrowser eve_{api_};
};

TEST_F(AdminPagesTest, AreForAdministratorsWithABrowser) {
  for (const std::string& path : kShownPages) {
    EXPECT_EQ(Ask(path).status, path.ends_with("why") ? 400U : 200U) << path;
    const Reply hidden = eve_.Open(path);
    EXPECT_EQ(hidden.status, 404U) << path;
    EXPECT_FALSE(hidden.body.contains("Administration")) << path;
    FakeBrowser visitor(api_);
    const Reply led = visitor.Open(path);
    EXPECT_EQ(led.status, 303U) << path;
    EXPECT_TRUE(led.Get("Location").starts_with("/login?to=")) << led.Get("Location");
    // A token is no browser, whatever it may do elsewhere.
    api_.token = api_.Token(Scope::kAdmin);
    EXPECT_EQ(api_.Ask({.path = path}).status, 404U) << path;
    api_.token.clear();
  }
}

TEST_F(AdminPagesTest, WhoIsRefusedIsNotedAsDenied) {
  eve_.Open("/-/admin/audit");
  api_.WriteAudit();
  AuditFilter filter;
  filter.kind = AuditKind::kDenied;
  auto denied = RunTask(api_.catalog().audit().ListAudit(filter, 10));
  ASSERT_TRUE(denied);
  ASSERT_EQ(denied->size(), 1U);
  EXPECT_EQ(denied->front().entry.by.name, "user:eve");
  EXPECT_EQ(denied->front().entry.action, "GET /-/admin/audit");
}

TEST_F(AdminPagesTest, WhoSignsInIsBroughtBack) {
  FakeBrowser visitor(api_);
  const std::string location = visitor.Open("/-/admin/audit?actor=koya").Get("Location");
  EXPECT_EQ(visitor.Open(location).status, 200U);
  const Reply reply = visitor.SignIn("ada", kAdminPassword, "/-/admin/audit?actor=koya");
  EXPECT_EQ(reply.Get("Location"), "/-/admin/audit?actor=koya");
}

TEST_F(AdminPagesTest, TheMenuLeadsThereForAdministratorsAlone) {
  EXPECT_TRUE(ada_.Open("/").body.contains("href=\"/-/admin\""));
  EXPECT_FALSE(eve_.Open("/").body.contains("href=\"/-/admin\""));
  EXPECT_FALSE(FakeBrowser(api_).Open("/").body.contains("href=\"/-/admin\""));
}

TEST_F(AdminPagesTest, AreNotKeptForOthers) {
  for (const std::string& path : kShownPages) {
    EXPECT_TRUE(Ask(path).Get("Cache-Control").starts_with("private")) << path;
  }
}

TEST_F(AdminPagesTest, AreInEveryLanguage) {
  for (const std::string& path : kShownPages) {
    for (auto [language, word] : {std::pair("ja", "監査ログ"), std::pair("zh", "审计日志")}) {
      const Reply reply = Ask(path + "?lang=" + language);
      EXPECT_TRUE(reply.body.contains(word)) << path << " " << language;
    }
    Ask("/?lang=en");
  }
}

TEST_F(AdminPagesTest, WithoutPagesThereAreNoneOfThese) {
  ApiFixture closed;
  closed.site.enabled = false;
  closed.SettleMirror();
  closed.AddUser("ada", std::string(kAdminPassword), true);
  FakeBrowser ada(closed);
  ada.SignIn("ada", kAdminPassword);
  for (const std::string& path : kShownPages) EXPECT_EQ(ada.Open(path).status, 404U) << path;
}

// ---- the overview

TEST_F(AdminPagesTest, TheOverviewCountsAndTellsWhatNeedsAttention) {
  Done(api_.catalog().accounts().AddGroup(Actor::Server(), {.name = "ops"}));
  ExpectTold("/-/admin", {"2 <small>", "administrators: <bdi>1</bdi>", "<dd>1</dd>"});
  EXPECT_FALSE(Ask("/-/admin").body.contains("Nothing needs attention")) << "nobody tells";
}

TEST_F(AdminPagesTest, TheOverviewSaysWhatReadinessSays) {
  ManualClock clock;
  service::JobRuns jobs(clock);
  jobs.NoteFailed("gc", {ErrorKind::kStorageFull, "the disk is full of <b>", ""});
  ApiFixture api;
  bool ready = true;
  api.operations = {.state =
                        [&ready] {
                          OperationsView::State state{ready, {}};
                          if (!ready) state.reasons = {"the catalog has not responded for 7 s"};
                          return state;
                        },
                    .metrics =
                        [] {
                          return std::string(
                              "# HELP koya_leases_held x\nkoya_leases_held 2\n"
                              "koya_http_requests_total{route=\"/\"} 5\n");
                        },
                    .jobs = &jobs};
  api.SettleMirror();
  api.AddUser("ada", std::string(kAdminPassword), true);
  FakeBrowser ada(api);
  ada.SignIn("ada", kAdminPassword);
  std::string body = ada.Open("/-/admin").body;
  EXPECT_TRUE(body.contains("the disk is full of &lt;b&gt;")) << body;
  EXPECT_FALSE(body.contains("has not responded"));
  body = ada.Open("/-/admin/health").body;
  EXPECT_TRUE(body.contains("This server is ready"));
  EXPECT_TRUE(body.contains("koya_leases_held</th><td class=\"r\" translate=\"no\">2<")) << body;
  EXPECT_FALSE(body.contains("koya_http_requests_total")) << "that is what /metrics is for";
  EXPECT_TRUE(ada.Open("/-/admin/storage").body.contains("the disk is full of &lt;b&gt;"));
  ready = false;
  EXPECT_TRUE(ada.Open("/-/admin").body.contains("the catalog has not responded for 7 s"));
  EXPECT_TRUE(ada.Open("/-/admin/health").body.contains("This server is not ready"));
}

// The state of a server, as its document and its page show it.
struct StatusCase {
  OperationsView::Machine machine = {};
  bool ready = true;
  bool failed_job = false;
  std::string_view code;  // of the only thing to do; "": nothing is to be done
  std::string text;       // a part of its sentence
  std::string_view page;  // a part of the page
};

Awaitable<OperationsView::Machine> Return(OperationsView::Machine machine) { co_return machine; }

TEST(AdminStatusTest, NamesWhatNeedsAnAdministrator) {
  ManualClock clock;
  const UnixSeconds now = ApiFixture().clock.Now();
  constexpr std::uint64_t kDisk = 1'000'000'000;
  const UnixSeconds day = 86'400;
  const StatusCase cases[] = {
      {.machine = {.disk = DiskSpace{kDisk, kDisk / 2}, .certificate_expires_at = now + 15 * day},
       .code = "",
       .page = "Nothing needs attention"},
      {.machine = {.disk = DiskSpace{kDisk, kDisk / 10}}, .code = ""},
      {.machine = {.disk = DiskSpace{kDisk, kDisk / 11}},
       .code = "disk_low",
       .text = "only 9 % of the disk",
       .page = "% of the disk of server.data is free"},
      {.machine = {.disk = DiskSpace{kDisk, 0}}, .code = "disk_low", .text = "only 0 %"},
      {.machine = {.certificate_expires_at = now + 13 * day},
       .code = "certificate_expires",
       .text = FormatRfc3339(now + 13 * day),
       .page = "The certificate of this server expires at"},
      {.machine = {.certificate_expires_at = now - day}, .code = "certificate_expires"},
      {.ready = false, .code = "not_ready", .text = "the catalog has not responded for 7 s"},
      {.failed_job = true, .code = "job_failed", .text = "the job gc failed: no space"},
  };
  for (const StatusCase& each : cases) {
    service::JobRuns jobs(clock);
    if (each.failed_job) jobs.NoteFailed("gc", {ErrorKind::kStorageFull, "no space", ""});
    jobs.NoteWaiting("readings", 7);
    ApiFixture api;
    api.operations = {.state =
                          [&each] {
                            OperationsView::State state{each.ready, {}};
                            if (!each.ready)
                              state.reasons = {"the catalog has not responded for 7 s"};
                            return state;
                          },
                      .jobs = &jobs,
                      .machine = [&each] { return Return(each.machine); },
                      .database = "SQLite",
                      .store = "folder"};
    api.SettleMirror();
    api.token = api.Token(Scope::kAdmin);
    const Reply reply = api.Get("/api/v1/admin/status");
    api.token.clear();
    ASSERT_EQ(reply.status, 200U) << reply.body;
    auto status = wire::Decode<wire::ServerStatus>(reply.body);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_EQ(status->ready, each.ready);
    EXPECT_EQ(status->database + " " + status->store.kind, "SQLite folder");
    EXPECT_EQ(status->work.waiting, 7U);
    EXPECT_EQ(status->work.failed, each.failed_job ? 1U : 0U);
    EXPECT_EQ(status->disk.has_value(), each.machine.disk.has_value());
    EXPECT_EQ(status->certificate.has_value(), each.machine.certificate_expires_at.has_value());
    ASSERT_EQ(status->todo.size(), each.code.empty() ? 0U : 1U) << reply.body;
    if (!each.code.empty()) {
      EXPECT_EQ(status->todo[0].code, each.code);
      EXPECT_TRUE(status->todo[0].text.contains(each.text)) << status->todo[0].text;
    }
    api.AddUser("ada", std::string(kAdminPassword), true);
    FakeBrowser ada(api);
    ada.SignIn("ada", kAdminPassword);
    EXPECT_TRUE(ada.Open("/-/admin").body.contains(each.page)) << each.page;
  }
}

TEST_F(AdminPagesTest, HealthNamesTheServersOnTheCatalog) {
  ExpectTold("/-/admin/health", {"No server has reported yet", "koya admin replicas"});
  ReplicaRecord replica{
      .id = "1", .address = "koya-1:8443", .version = "9.9.9", .feed_age = std::chrono::hours(1)};
  ASSERT_TRUE(RunTask(api_.catalog().replicas().KeepReplica(replica, std::chrono::seconds(10))));
  ExpectTold("/-/admin/health", {"koya-1:8443", "9.9.9", "3600000 ms"});
  ExpectTold("/-/admin", {"koya-1:8443"});
}

TEST_F(AdminPagesTest, ServersThatDoNotAgreeOnASettingAreNamed) {
  for (const char* id : {"1", "2"}) {
    const ReplicaRecord replica{.id = id,
                                .address = fmt::format("koya-{}:8443", id),
                                .version = "9.9.9",
                                .settings = {{"policy.deny", id}}};
    ASSERT_TRUE(RunTask(api_.catalog().replicas().KeepReplica(replica, std::chrono::seconds(10))));
  }
  ExpectTold("/-/admin",
             {"policy.deny is not the same on all servers", "koya-1:8443 | koya-2:8443"});
}

TEST_F(AdminPagesTest, StorageCountsWhatIsThere) {
  ExpectTold("/-/admin/storage", {"koya verify", "0 B"});
  EXPECT_FALSE(Ask("/-/admin/storage").body.contains("object store")) << "this is a folder";
  const BlobObject object{"ab/1", Digest::Of("one"), 7'000};
  ASSERT_TRUE(RunTask(api_.catalog().blob_ledger().Arrive(object)));
  ASSERT_TRUE(RunTask(api_.catalog().blob_ledger().CompleteUpload("ab/1")));
  Done(api_.catalog().blob_ledger().Lose("ab/1"));
  ExpectTold("/-/admin/storage", {"7.0 kB", "in the object store are missing or damaged"});
  ExpectTold("/-/admin", {"objects are missing"});
}

// ---- the audit log

TEST_F(AdminPagesTest, TheAuditLogIsListedByPages) {
  Write(120);
  const Reply first = Ask("/-/admin/audit?namespace=sandbox");
  EXPECT_TRUE(first.body.contains(": test:120<"));
  EXPECT_TRUE(first.body.contains(": test:71<"));
  EXPECT_FALSE(first.body.contains(": test:70<"));
  EXPECT_FALSE(first.body.contains("Newest entries"));
  EXPECT_LT(first.body.size(), 40'000U);
  const std::size_t at = first.body.find("href=\"/-/admin/audit?namespace=sandbox&amp;below=");
  ASSERT_NE(at, std::string::npos) << first.body;
  std::string next = first.body.substr(at + 6, first.body.find('"', at + 6) - at - 6);
  next.replace(next.find("&amp;"), 5, "&");
  const Reply second = Ask(next);
  EXPECT_TRUE(second.body.contains(": test:70<"));
  EXPECT_TRUE(second.body.contains("Newest entries"));
}

TEST_F(AdminPagesTest, TheAuditLogIsFilteredByEach) {
  Write(2);
  for (const char* query : {"actor=user:mallory", "action=test", "target=test:1",
                            "namespace=SANDBOX", "address=192.0.2.9", "token=laptop",
                            "until=1970-01-02", "kind=change&actor=USER:mallory"}) {
    EXPECT_TRUE(Ask(fmt::format("/-/admin/audit?{}", query)).body.contains(": test:1<")) << query;
  }
  for (const char* query : {"actor=user:nobody", "action=tes", "target=test:9", "namespace=other",
                            "address=192.0.2", "token=lap", "since=1970-01-02", "kind=denied",
                            "below=0", "actor=%3Cscript%3E", "target=%25"}) {
    const Reply reply = Ask(fmt::format("/-/admin/audit?{}", query));
    EXPECT_EQ(reply.status, 200U) << query;
    EXPECT_FALSE(reply.body.contains(": test:1<")) << query;
  }
}

TEST_F(AdminPagesTest, AQuestionThatMakesNoSenseIsToldWithItsValuesKept) {
  for (auto [query, kept] :
       {std::pair("since=yesterday", "value=\"yesterday\""),
        std::pair("until=%22%3E", "value=\"&quot;&gt;\""), std::pair("kind=both", "kind"),
        std::pair("below=-1", "below"), std::pair("below=1e9&actor=me", "value=\"me\"")}) {
    ExpectTold(fmt::format("/-/admin/audit?{}", query), {kept, "role=\"alert\""}, 400);
  }
  for (const std::string& query : {std::string("actor=%"), std::string("actor=%00"),
                                   std::string("actor=%FF"), "actor=" + std::string(2000, 'a')}) {
    EXPECT_EQ(Ask("/-/admin/audit?" + query).status, 400U) << query.substr(0, 20);
  }
}

TEST_F(AdminPagesTest, EveryEntryHasAPageOfItsOwn) {
  Write(1);
  AuditFilter filter;
  filter.ns = "sandbox";
  const std::int64_t id = RunTask(api_.catalog().audit().ListAudit(filter, 1)).value().front().id;
  ExpectTold(fmt::format("/-/admin/audit/{}", id),
             {"test:1", "user:mallory", "laptop", "192.0.2.9", "&quot;a&quot;"});
  for (const char* nothing : {"999999", "0", "-1", "x", "1.0", "99999999999999999999",
                              "9223372036854775807", "%00", "1%2f2"}) {
    const unsigned status = Ask(fmt::format("/-/admin/audit/{}", nothing)).status;
    EXPECT_TRUE(status == 404 || status == 400) << nothing << ": " << status;
  }
}

TEST_F(AdminPagesTest, TheProofWalksAlongTheChain) {
  Write(3);
  EXPECT_FALSE(Ask("/-/admin/audit/proof").body.contains("The log is intact"));
  const Reply whole = Ask("/-/admin/audit/proof?walk=yes");
  EXPECT_TRUE(whole.body.contains("The log is intact")) << whole.body;
  const AuditAnchor head = RunTask(api_.catalog().audit().FindAuditEnds()).value().head;
  ExpectTold(
      fmt::format("/-/admin/audit/proof?walk=yes&expect={}:{}", head.sequence, head.hash.hex()),
      {"The log is intact"});
  ExpectTold(fmt::format("/-/admin/audit/proof?walk=yes&expect={}:{}", head.sequence,
                         Digest::Of("other").hex()),
             {"The log is damaged", "rewritten"});
  ExpectTold("/-/admin/audit/proof?walk=yes&expect=x:y", {"SEQUENCE:HASH", "value=\"x:y\""}, 400);
}

TEST_F(AdminPagesTest, TheAuditLogIsGivenAsFiles) {
  Write(300);
  ASSERT_TRUE(RunTask(api_.catalog().audit().AppendAudit({{.at = 9,
                                                           .by = {.name = "=HYPERLINK(\"x\")"},
                                                           .action = "test.formula",
                                                           .target = "a,\"b\"\r\n",
                                                           .ns = "sandbox"}})));
  const Reply lines = Ask("/-/admin/audit/export/audit.jsonl?namespace=sandbox");
  EXPECT_EQ(lines.status, 200U);
  EXPECT_EQ(std::ranges::count(lines.body, '\n'), 301);
  EXPECT_EQ(lines.Get("Content-Disposition"), "attachment; filename=\"audit.jsonl\"");
  const Reply csv = Ask("/-/admin/audit/export/audit.csv?namespace=sandbox");
  EXPECT_EQ(csv.status, 200U);
  EXPECT_TRUE(csv.Get("Content-Type").starts_with("text/csv"));
  EXPECT_TRUE(csv.body.starts_with("id,time,kind,")) << csv.body.substr(0, 80);
  EXPECT_TRUE(csv.body.contains("\"'=HYPERLINK(\"\"x\"\")\"")) << csv.body.substr(0, 400);
  EXPECT_EQ(Ask("/-/admin/audit/export/audit.csv?since=soon").status, 400U);
  EXPECT_EQ(Ask("/-/admin/audit/export/audit.xls").status, 404U);
  EXPECT_EQ(eve_.Open("/-/admin/audit/export/audit.csv").status, 404U);
}

// ---- grants, and why

class AdminGrantsTest : public AdminPagesTest {
 protected:
  AdminGrantsTest() {
    AddNamespace("acme", Visibility::kPrivate);
    AddNamespace("open", Visibility::kPublic);
    Done(api_.catalog().accounts().AddGroup(Actor::Server(), {.name = "ops"}));
    Done(api_.catalog().accounts().AddMember(Actor::Server(), "ops",
                                             {AccountKind::kUser, "eve", ""}));
  }
  void AddNamespace(const std::string& name, Visibility visibility) {
    ASSERT_TRUE(RunTask(api_.catalog().namespaces().AddNamespace(
        Actor::Server(), {.name = name, .visibility = visibility})));
  }
  void Grant(GranteeKind kind, const std::string& name, Role role) {
    Done(api_.catalog().namespaces().PutGrant(
        Actor::Server(),
        {.ns = "acme", .kind = kind, .grantee = name, .role = role, .granted_by = "root"}));
  }
};

TEST_F(AdminGrantsTest, AreShownByNamespace) {
  ExpectTold("/-/admin/grants", {">acme<", ">open<"});
  Grant(GranteeKind::kGroup, "ops", Role::kPublisher);
  Grant(GranteeKind::kUser, "ada", Role::kOwner);
  ExpectTold("/-/admin/grants", {">ops<", ">publisher<", ">ada<", ">owner<"});
  EXPECT_FALSE(Ask("/-/admin/grants?q=ACM").body.contains(">open<"));
  ExpectTold("/-/admin/grants?q=zzz", {"No matching namespaces"});
  ExpectTold("/-/admin/grants?q=%22%3E%3Cb%3E", {"value=\"&quot;&gt;&lt;b&gt;\""});
  for (int i = 0; i < 30; ++i) AddNamespace(fmt::format("many{}", i), Visibility::kPublic);
  const Reply first = Ask("/-/admin/grants");
  EXPECT_TRUE(first.body.contains("/-/admin/grants?page=2"));
  EXPECT_EQ(Ask("/-/admin/grants?page=9999999").status, 200U);
  for (const char* page : {"0", "-1", "x", "1e3", "99999999999999999999999"}) {
    EXPECT_EQ(Ask(fmt::format("/-/admin/grants?page={}", page)).status, 400U) << page;
  }
}

TEST_F(AdminGrantsTest, WhyIsAnsweredWithTheGrantOrItsAbsence) {
  const std::string publish = "/-/admin/grants/why?who=eve&may=publish&ns=acme";
  ExpectTold(publish, {"No, they cannot", "No role allows it"});
  Grant(GranteeKind::kGroup, "ops", Role::kReader);
  ExpectTold(publish, {"No, they cannot", "The granted role is not enough", ">ops<"});
  Grant(GranteeKind::kGroup, "ops", Role::kPublisher);
  ExpectTold(publish, {"Yes, they can", "This was granted", ">ops<", "root"});
  ExpectTold("/-/admin/grants/why?who=EVE&may=own&ns=ACME", {"No, they cannot"});
  ExpectTold("/-/admin/grants/why?who=ada&may=own&ns=acme", {"Yes, they can", "administrator"});
  ExpectTold("/-/admin/grants/why?kind=stranger&may=read&ns=open", {"Yes, they can", "public"});
  ExpectTold("/-/admin/grants/why?kind=stranger&may=read&ns=acme", {"No, they cannot"});
  ExpectTold("/-/admin/grants/why?who=eve&may=read&ns=nowhere",
             {"This namespace does not exist yet"});
  Done(api_.catalog().accounts().SetDisabled(Actor::Server(), AccountKind::kUser, "eve", 1));
  ExpectTold(publish, {"No, they cannot", "disabled"});
}

TEST_F(AdminGrantsTest, WhatCannotBeAskedIsToldWithItsValuesKept) {
  ExpectTold("/-/admin/grants/why?who=nobody&ns=acme",
             {"there is no user named", "value=\"nobody\""}, 400);
  ExpectTold("/-/admin/grants/why?kind=service&who=eve&ns=acme",
             {"there is no service account named"}, 400);
  for (const char* query : {"who=eve&may=fly&ns=acme", "who=eve&kind=cat&ns=acme",
                            "who=a%20b&ns=acme", "who=eve&ns=%2e%2e%2fx",
                            "who=eve&ns=", "who=&ns=acme", "who=%27%3B%20DROP%20TABLE&ns=acme"}) {
    ExpectTold(fmt::format("/-/admin/grants/why?{}", query), {"role=\"alert\""}, 400);
  }
  EXPECT_EQ(Ask("/-/admin/grants/why?who=%").status, 400U);
}

}  // namespace
}  // namespace koya::api
