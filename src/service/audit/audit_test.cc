#include "service/audit/audit.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/run_task.h"
#include "service/audit/audit_catalog_fake.h"

namespace koya::service {
namespace {

auth::Principal TokenOf(Scope scope, std::vector<std::string> patterns = {}) {
  return {.name = "t", .scope = scope, .namespaces = std::move(patterns)};
}

class AuditTest : public ::testing::Test {
 protected:
  // Linked entries; the number n has the time n.
  void Fill(int count) {
    std::vector<AuditEntry> entries;
    for (int i = 1; i <= count; ++i) {
      entries.push_back({.at = i, .action = "action " + std::to_string(i), .ns = "acme"});
    }
    ASSERT_TRUE(RunTask(catalog_.AppendAudit(std::move(entries))));
    ASSERT_TRUE(RunTask(catalog_.ChainAudit(10'000)));
  }
  Result<AuditReport> Verify(std::optional<AuditAnchor> expected = std::nullopt) {
    return RunTask(audit_.Verify(auth::Principal::Operator(), expected));
  }

  AuditCatalogFake catalog_;
  Audit audit_{catalog_};
};

TEST_F(AuditTest, AWholeLogIsWholeHoweverLong) {
  for (int count : {0, 1, 249, 250, 251, 1000}) {
    catalog_.records.clear();
    catalog_.ends = {};
    Fill(count);
    auto report = Verify();
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->damage) << report->damage->problem;
    EXPECT_EQ(report->checked, static_cast<std::uint64_t>(count));
    EXPECT_EQ(report->ends, catalog_.ends);
    EXPECT_FALSE(Verify(report->ends.head)->damage);
  }
}

TEST_F(AuditTest, WhatIsRemovedForItsAgeIsNoDamage) {
  Fill(10);
  const AuditAnchor fourth = *catalog_.records[3].link;
  const AuditAnchor seventh = *catalog_.records[6].link;
  ASSERT_EQ(RunTask(catalog_.TrimAudit(6, 100)).value(), 5U);
  auto report = Verify(seventh);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->damage);
  EXPECT_EQ(report->checked, 5U);
  EXPECT_FALSE(Verify(catalog_.ends.anchor)->damage) << "the anchor is known, too";
  auto old = Verify(fourth);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, ErrorKind::kInvalid);
  ASSERT_EQ(RunTask(catalog_.TrimAudit(100, 100)).value(), 5U);
  EXPECT_FALSE(Verify()->damage) << "all of it";
}

TEST_F(AuditTest, WhatIsRemovedWhileItIsReadIsNoDamage) {
  Fill(600);
  int pages = 0;
  catalog_.before_page = [&] {
    if (++pages == 1) RunTask(catalog_.TrimAudit(300, 1000)).value();
  };
  auto report = Verify();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->damage) << report->damage->problem;
  EXPECT_EQ(report->checked, 301U);
}

TEST_F(AuditTest, TheFirstDamageIsNamed) {
  using Records = std::vector<AuditRecord>;
  struct Case {
    const char* what;
    std::function<void(Records&, AuditEnds&)> damage;
    std::int64_t sequence;
    const char* words;
  };
  const Case kCases[] = {
      {"the first is gone", [](Records& r, AuditEnds&) { r.erase(r.begin()); }, 1, "is missing"},
      {"one is gone", [](Records& r, AuditEnds&) { r.erase(r.begin() + 4); }, 5, "is missing"},
      {"several are gone", [](Records& r, AuditEnds&) { r.erase(r.begin() + 4, r.begin() + 7); }, 5,
       "is missing"},
      {"the last is gone", [](Records& r, AuditEnds&) { r.pop_back(); }, 10, "is missing"},
      {"all are gone", [](Records& r, AuditEnds&) { r.clear(); }, 1, "is missing"},
      {"one was never linked", [](Records& r, AuditEnds&) { r[4].link.reset(); }, 5, "is missing"},
      {"an altered action", [](Records& r, AuditEnds&) { r[4].entry.action = "x"; }, 5,
       "is not the one that was written"},
      {"an altered time", [](Records& r, AuditEnds&) { r[9].entry.at -= 1; }, 10,
       "is not the one that was written"},
      {"an altered hash", [](Records& r, AuditEnds&) { r[4].link->hash = Digest::Of("x"); }, 5,
       "is not the one that was written"},
      {"another order", [](Records& r, AuditEnds&) { std::swap(r[4].link, r[5].link); }, 5,
       "is not the one that was written"},
      {"the same place twice", [](Records& r, AuditEnds&) { r[5].link = r[4].link; }, 6,
       "is missing"},
      {"another head", [](Records&, AuditEnds& e) { e.head.hash = Digest::Of("x"); }, 10,
       "rewritten"},
      {"another anchor", [](Records&, AuditEnds& e) { e.anchor.hash = Digest::Of("x"); }, 1,
       "is not the one that was written"},
      {"an anchor that is too early",
       [](Records& r, AuditEnds&) { r.erase(r.begin(), r.begin() + 3); }, 1, "is missing"},
  };
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.what);
    catalog_.records.clear();
    catalog_.ends = {};
    Fill(10);
    each.damage(catalog_.records, catalog_.ends);
    auto report = Verify();
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_TRUE(report->damage);
    EXPECT_EQ(report->damage->sequence, each.sequence);
    EXPECT_TRUE(report->damage->problem.contains(each.words)) << report->damage->problem;
    EXPECT_LT(report->checked, 11U);
  }
}

// Anyone with write access to the database can build another chain. It differs from the original.
TEST_F(AuditTest, ALogThatWasWrittenAnewIsNotTheOneThatIsExpected) {
  Fill(10);
  const AuditAnchor fifth = *catalog_.records[4].link;
  const AuditAnchor tenth = catalog_.ends.head;
  catalog_.records.clear();
  catalog_.ends = {};
  Fill(4);
  ASSERT_FALSE(Verify()->damage) << "by itself it is whole";
  auto cut = Verify(tenth);
  ASSERT_TRUE(cut && cut->damage);
  EXPECT_EQ(cut->damage->sequence, 5);
  EXPECT_TRUE(cut->damage->problem.contains("is missing")) << cut->damage->problem;
  Fill(8);
  auto anew = Verify(fifth);
  ASSERT_TRUE(anew && anew->damage);
  EXPECT_EQ(anew->damage->sequence, 5);
  EXPECT_TRUE(anew->damage->problem.contains("another hash")) << anew->damage->problem;
  EXPECT_TRUE(Verify(AuditAnchor{.sequence = 0, .hash = Digest::Of("x")})->damage);
  EXPECT_FALSE(Verify(AuditAnchor{})->damage);
}

TEST_F(AuditTest, WhoMaySeeWhat) {
  Fill(3);
  struct Case {
    auth::Principal by;
    std::string ns;
    bool may;
  };
  const Case kCases[] = {
      {auth::Principal::Operator(), "", true},
      {TokenOf(Scope::kAdmin), "", true},
      {TokenOf(Scope::kAdmin), "acme", true},
      {TokenOf(Scope::kAdmin, {"acme"}), "acme", true},
      {TokenOf(Scope::kAdmin, {"acme"}), "ACME", true},
      {TokenOf(Scope::kAdmin, {"acme"}), "", false},
      {TokenOf(Scope::kAdmin, {"acme"}), "other", false},
      {TokenOf(Scope::kAdmin, {"*"}), "", false},
      {TokenOf(Scope::kPublish), "", false},
      {TokenOf(Scope::kPublish, {"acme"}), "acme", false},
      {TokenOf(Scope::kRead), "", false},
      {TokenOf(Scope::kRead, {"acme"}), "acme", false},
      {auth::Principal(), "", false},
      {auth::Principal(), "acme", false},
  };
  for (const Case& each : kCases) {
    auto listed = RunTask(audit_.List(each.by, {.ns = each.ns}, 10));
    EXPECT_EQ(listed.has_value(), each.may) << each.ns;
    if (!listed) EXPECT_EQ(listed.error().kind, ErrorKind::kForbidden);
    auto verified = RunTask(audit_.Verify(each.by, std::nullopt));
    EXPECT_EQ(verified.has_value(),
              each.by.RequireAllNamespaces() && each.by.Require(Scope::kAdmin).has_value());
  }
}

TEST_F(AuditTest, ACatalogThatDoesNotAnswerIsNoDamage) {
  Fill(3);
  catalog_.before_page = [this] { catalog_.away = true; };
  auto report = Verify();
  ASSERT_TRUE(report.has_value());
  EXPECT_FALSE(report->damage);
  report = Verify();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace koya::service
