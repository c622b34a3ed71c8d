#include "service/operate/mail_notices.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/notification_catalog.h"
#include "catalog/token_catalog.h"
#include "catalog/usage_catalog.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/access/namespaces.h"
#include "service/access/token_cache.h"
#include "service/access/tokens.h"
#include "service/common/last_used_tracker.h"
#include "service/operate/notifications.h"
#include "service/providers/signing_keys.h"
#include "signing/sealer.h"

namespace koya::service {
namespace {

using Texts = std::vector<std::string>;

// ---- the text

TEST(MailTextTest, HeadersHoldNothingButTheirFields) {
  const MailParts parts{.from = "koya@example.com",
                        .to = "ada@example.com",
                        .subject = "a\r\nBcc: eve@example.com\r\n\r\nhello",
                        .body = ".\r\nBcc: eve@example.com\n" + std::string(2000, 'x'),
                        .end_link = "https://koya.test/-/notifications/end?user=a&key=b",
                        .at = 1'795'279'270};
  const std::string text = MailText(parts);
  const std::string head = text.substr(0, text.find("\r\n\r\n"));
  EXPECT_FALSE(text.contains("Bcc")) << text;
  EXPECT_TRUE(head.contains("Subject: =?utf-8?B?")) << head;
  EXPECT_TRUE(head.contains("Date: Sat, 21 Nov 2026 16:41:10 +0000")) << head;
  EXPECT_TRUE(
      head.contains("List-Unsubscribe: <https://koya.test/-/notifications/end?user=a&key=b>"));
  EXPECT_TRUE(head.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, text.npos) << "the last line ends, too";
    EXPECT_EQ(text[end - 1], '\r');
    EXPECT_LT(end - at, 200U);
    EXPECT_NE(text[at], '.');
    at = end + 1;
  }
}

TEST(MailTextTest, SubjectsAreEncodedWithoutCuttingCharacters) {
  const struct {
    std::string subject, field;
  } kCases[] = {{"acme/vpc/aws 1.2.0", "Subject: acme/vpc/aws 1.2.0\r\n"},
                {"=?x?", "Subject: =?utf-8?B?PT94Pw==?=\r\n"},
                {"モジュール", "Subject: =?utf-8?B?44Oi44K444Ol44O844Or?=\r\n"},
                {"ああああああああああああああああ",
                 "Subject: =?utf-8?B?"
                 "44GC44GC44GC44GC44GC44GC44GC44GC44GC44GC44GC44GC44GC44GC?=\r\n "
                 "=?utf-8?B?44GC44GC?=\r\n"}};
  for (const auto& c : kCases) {
    const std::string text = MailText({.from = "a@b", .to = "c@d", .subject = c.subject});
    EXPECT_TRUE(text.contains(c.field)) << text;
  }
}

TEST(MailTextTest, VersionsOfAPackageAreOneLine) {
  MailNews news;
  for (int i = 12; i >= 1; --i) {
    news.watched.push_back({.address = "acme/vpc/aws", .version = std::to_string(i) + ".0.0"});
  }
  EXPECT_TRUE(NewsSubject(news, "koya.test").starts_with("koya.test: acme/vpc/aws 1.0.0, 2.0.0"));
  const std::string body = NewsBody(news, "https://koya.test", "https://koya.test/end");
  EXPECT_TRUE(body.contains("10.0.0 and 2 more\n")) << body;
  EXPECT_TRUE(body.contains("https://koya.test/-/notifications\n"));
  news.watched.push_back({.address = "acme/net/aws", .version = "1.0.0"});
  EXPECT_EQ(NewsSubject(news, "koya.test"), "koya.test: 2 notifications");
}

// ---- what is sent

class MailNoticesTest : public ::testing::Test {
 protected:
  MailNoticesTest() {
    AccountRecord ann{.id = "id-ann", .kind = AccountKind::kUser, .name = "ann"};
    EXPECT_TRUE(RunTask(catalog_.accounts().AddAccount(Actor::Server(), ann)));
    for (auto [ns, visibility] :
         {std::pair("acme", Visibility::kPublic), std::pair("closed", Visibility::kPrivate)}) {
      NamespaceRecord record{.name = ns, .visibility = visibility};
      EXPECT_TRUE(RunTask(catalog_.namespaces().AddNamespace(Actor::Server(), record)));
      Publish(std::string(ns) + "/vpc/aws", "1.0.0");
      Watch(ns, WatchMail::kNow);
    }
    EXPECT_TRUE(RunTask(catalog_.mail().SetEmail(Actor::Server(), "ann", "ann@example.com")));
    EXPECT_TRUE(Look());  // from now on
    EXPECT_EQ(sent_, Texts{});
  }

  void Publish(const std::string& address, const std::string& version) {
    EXPECT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), Record(address, version))));
  }
  void Watch(const std::string& ns, WatchMail mail) {
    EXPECT_TRUE(
        RunTask(catalog_.watches().PutWatch("id-ann", {WatchKind::kNamespace, ns, ns}, mail, 1)));
  }
  void Grant(bool given) {
    const GrantRecord grant{
        .ns = "closed", .kind = GranteeKind::kUser, .grantee = "ann", .role = Role::kReader};
    NamespaceCatalog& namespaces = catalog_.namespaces();
    EXPECT_TRUE(given ? RunTask(namespaces.PutGrant(Actor::Server(), grant))
                      : RunTask(namespaces.RemoveGrant(Actor::Server(), "closed",
                                                       GranteeKind::kUser, "ann")));
  }
  // What the job does twice: entries of the first look are complete at the second.
  Status Look(std::chrono::seconds later = std::chrono::seconds(60)) {
    now_ += later.count();
    clock_.now = now_;
    Result<MailReport> report = RunTask(notices_.Run(stopping_));
    if (report) report = RunTask(notices_.Run(stopping_));
    if (!report) return std::unexpected(report.error());
    return {};
  }

  Task<void> Send(std::string to, std::string text) {
    ++tries_;
    if (outcome_ != ErrorKind::kInternal) co_return Fail(outcome_, "the mail server says no");
    const std::string encoded = text.substr(text.find("\r\n\r\n") + 4);
    std::string packed;
    for (char c : encoded) {
      if (c != '\r' && c != '\n') packed += c;
    }
    sent_.push_back(to + ": " + Base64Decode(packed).value_or("?"));
    co_return Status();
  }
  // Lines of the log with these words.
  std::size_t CountOf(std::string_view words) {
    const std::string text = captured_.Text();
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(words, at)) != text.npos; ++at) ++count;
    return count;
  }
  bool Sent(std::string_view words) { return !sent_.empty() && sent_.back().contains(words); }

  std::atomic<bool> stopping_ = false;
  ManualClock clock_;
  UnixSeconds now_ = SystemClock().Now();
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  WorkerPool pool_{1};
  signing::Sealer sealer_{"a secret of the tests"};
  TestCatalog catalog_;
  LastUsedTracker uses_{catalog_, log_};
  TokenCache cache_{TimeSinceBoot};
  Tokens tokens_{catalog_, catalog_, cache_, clock_, uses_};
  SigningKeys keys_{catalog_, sealer_, pool_, clock_};
  Waiting waiting_{tokens_, keys_, clock_};
  Namespaces namespaces_{catalog_, DefaultVisibility(Visibility::kPrivate)};
  Texts sent_;
  int tries_ = 0;
  ErrorKind outcome_ = ErrorKind::kInternal;  // kInternal: the mail is taken
  MailNotices notices_{
      {catalog_, catalog_, catalog_, namespaces_, waiting_, clock_, log_},
      {.from = "koya@example.com",
       .url = [] { return std::string("https://koya.test"); },
       .send = [this](std::string to,
                      std::string text) { return Send(std::move(to), std::move(text)); },
       .end_path = [](std::string_view id) { return "/end?" + std::string(id); }}};
};

TEST_F(MailNoticesTest, NewVersionsAreMailedOnce) {
  for (const char* version : {"1.1.0", "1.2.0"}) Publish("acme/vpc/aws", version);
  ASSERT_TRUE(Look());
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_TRUE(Sent("ann@example.com: New versions of what you watch:\n  acme/vpc/aws 1.1.0, 1.2.0"))
      << sent_.back();
  EXPECT_TRUE(Sent("https://koya.test/end?id-ann"));
  ASSERT_TRUE(Look());
  EXPECT_EQ(sent_.size(), 1U);
}

TEST_F(MailNoticesTest, ChangesThatFollowEachOtherAreOneMail) {
  now_ = SystemClock().Now();
  Publish("acme/vpc/aws", "1.1.0");
  ASSERT_TRUE(Look(std::chrono::seconds(0)));
  EXPECT_EQ(sent_.size(), 0U) << "more may come";
  Publish("acme/vpc/aws", "1.2.0");
  ASSERT_TRUE(Look(std::chrono::seconds(0)));
  EXPECT_EQ(sent_.size(), 0U);
  ASSERT_TRUE(Look());
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_TRUE(Sent("1.1.0, 1.2.0"));
}

TEST_F(MailNoticesTest, RightsAreCheckedWhenTheMailIsMade) {
  Grant(true);
  Publish("closed/vpc/aws", "1.1.0");
  Grant(false);
  ASSERT_TRUE(Look());
  EXPECT_EQ(sent_, Texts{}) << "not a word";
  Publish("acme/vpc/aws", "1.1.0");
  ASSERT_TRUE(Look());
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_FALSE(Sent("closed")) << sent_.back();
  Grant(true);
  Publish("closed/vpc/aws", "1.2.0");
  ASSERT_TRUE(Look());
  EXPECT_TRUE(Sent("closed/vpc/aws 1.2.0"));
}

TEST_F(MailNoticesTest, ADigestIsSentOnceADay) {
  Watch("acme", WatchMail::kDaily);
  Publish("acme/vpc/aws", "1.1.0");
  ASSERT_TRUE(Look());
  EXPECT_EQ(sent_, Texts{});
  ASSERT_TRUE(Look(std::chrono::hours(25)));
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_TRUE(Sent("acme/vpc/aws 1.1.0"));
  ASSERT_TRUE(Look(std::chrono::hours(25)));
  EXPECT_EQ(sent_.size(), 1U);
}

TEST_F(MailNoticesTest, AServerThatCannotBeUsedGetsItLaterAndIsLoggedOnce) {
  Publish("acme/vpc/aws", "1.1.0");
  outcome_ = ErrorKind::kTimeout;
  EXPECT_FALSE(Look());
  EXPECT_FALSE(Look(std::chrono::hours(1)));
  EXPECT_EQ(CountOf("mail cannot be sent; retrying"), 1U);
  const int tries = tries_;
  ASSERT_TRUE(Look(std::chrono::seconds(1))) << "it waits before the next try";
  EXPECT_EQ(tries_, tries);
  outcome_ = ErrorKind::kThrottled;
  ASSERT_TRUE(Look(std::chrono::hours(1)));
  EXPECT_GT(tries_, tries);
  outcome_ = ErrorKind::kInternal;
  ASSERT_TRUE(Look(std::chrono::hours(2)));
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_TRUE(Sent("acme/vpc/aws 1.1.0"));
}

TEST_F(MailNoticesTest, AMailThatIsRefusedIsGivenUpAndLogged) {
  Publish("acme/vpc/aws", "1.1.0");
  outcome_ = ErrorKind::kRefused;
  ASSERT_TRUE(Look());
  EXPECT_EQ(tries_, 1);
  ASSERT_TRUE(Look());
  EXPECT_EQ(tries_, 1);
  EXPECT_EQ(CountOf("a mail was refused, and is given up"), 1U);
}

TEST_F(MailNoticesTest, TokensThatEndAreMailedOnce) {
  TokenRecord token{.name = "laptop", .secret = Digest::Of("laptop"), .account_id = "id-ann"};
  token.expires_at = now_ + 20 * 86'400;
  ASSERT_TRUE(RunTask(catalog_.tokens().AddToken(Actor::Server(), token)));
  ASSERT_TRUE(Look(std::chrono::hours(2)));
  EXPECT_EQ(sent_, Texts{}) << "there is time";
  ASSERT_TRUE(Look(std::chrono::days(7)));
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_TRUE(Sent("Tokens of yours that end soon:\n  laptop 20")) << sent_.back();
  ASSERT_TRUE(Look(std::chrono::hours(2)));
  EXPECT_EQ(sent_.size(), 1U);
}

TEST_F(MailNoticesTest, WhoEndsMailGetsNone) {
  ASSERT_TRUE(RunTask(catalog_.mail().SetMailEnded("id-ann", true)));
  Publish("acme/vpc/aws", "1.1.0");
  ASSERT_TRUE(Look());
  EXPECT_EQ(tries_, 0);
}

}  // namespace
}  // namespace koya::service
