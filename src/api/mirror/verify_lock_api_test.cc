// Lock files: what this registry says of their hashes, to whom.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "archive/archive_builder_fake.h"
#include "domain/platform.h"
#include "wire/provider_publishing.h"
#include "wire/verify.h"

namespace koya::api {
namespace {

constexpr std::string_view kOwn = "registry.example.com/acme/demo";
constexpr std::string_view kUpstream = "registry.example.org/acme/demo";

std::string LockOf(std::string_view address, const std::vector<std::string>& hashes,
                   std::string_view version = "1.0.0") {
  std::string lock =
      fmt::format("provider \"{}\" {{\n  version = \"{}\"\n  hashes = [\n", address, version);
  for (const std::string& hash : hashes) lock += fmt::format("    \"{}\",\n", hash);
  return lock + "  ]\n}\n";
}

std::string Zh(std::string_view bytes) { return "zh:" + Digest::Of(bytes).hex(); }

class VerifyLockApiTest : public ::testing::Test {
 protected:
  Reply Verify(std::string lock, const std::string& token = {}) {
    Question question{
        .method = http::Method::kPost, .path = "/api/v1/verify/lock", .body = std::move(lock)};
    if (!token.empty()) question.fields.emplace_back("Authorization", "Bearer " + token);
    return api.Ask(question);
  }
  wire::LockedProviderReport ReportOn(std::string lock, const std::string& token = {}) {
    const Reply reply = Verify(std::move(lock), token);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    auto report = wire::Decode<wire::LockReport>(reply.body);
    EXPECT_TRUE(report && report->items.size() == 1) << reply.body;
    return report && !report->items.empty() ? report->items[0] : wire::LockedProviderReport();
  }
  static std::vector<std::string> StatesOf(const wire::LockedProviderReport& report) {
    std::vector<std::string> states;
    for (const wire::LockedHash& hash : report.hashes) {
      states.push_back(hash.state);
      EXPECT_EQ(hash.known, hash.state == "known") << hash.hash;
    }
    return states;
  }
  Reply Send(http::Method method, std::string path, std::string body) {
    Question question{.method = method, .path = std::move(path), .body = std::move(body)};
    question.fields.emplace_back("Authorization", "Bearer " + admin);
    return api.Ask(question);
  }
  // Publishes version 1.0.0 of the own provider. Returns the hashes of its package.
  std::vector<std::string> PublishOwn() {
    const std::string drafts = "/api/v1/providers/acme/demo/1.0.0/drafts";
    const auto draft =
        wire::Decode<wire::Draft>(Send(http::Method::kPost, drafts, "").body).value();
    const std::string zip = Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "x"}});
    Send(http::Method::kPut,
         fmt::format("{}/{}/files/terraform-provider-demo_1.0.0_linux_amd64.zip", drafts, draft.id),
         zip);
    const Reply made = Send(http::Method::kPost, fmt::format("{}/{}/commit", drafts, draft.id),
                            R"({"sign":true})");
    EXPECT_EQ(made.status, 201U) << made.body;
    const std::string index = api.Get("/v1/providers/acme/demo/1.0.0/download/linux/amd64").body;
    const std::size_t h1 = index.find("h1:");
    EXPECT_NE(h1, index.npos) << index;
    return {Zh(zip), index.substr(h1, index.find('"', h1) - h1)};
  }

  ApiFixture api;
  std::string admin = api.Token(Scope::kAdmin);
};

TEST_F(VerifyLockApiTest, KnowsEachHashOfAPublishedRelease) {
  const std::vector<std::string> hashes = PublishOwn();
  const auto report =
      ReportOn(LockOf(kOwn, {hashes[0], hashes[1], Zh("other"), "h1:other=", "x9:other"}));
  EXPECT_EQ(StatesOf(report),
            (std::vector<std::string>{"known", "known", "differs", "differs", "unchecked"}));
  EXPECT_EQ(report.address, kOwn);
  EXPECT_EQ(report.version, "1.0.0");
  EXPECT_EQ(report.from, "published");
  EXPECT_TRUE(report.seen.ends_with("Z")) << report.seen;
  EXPECT_EQ(report.key.size(), 40U) << report.key;
  EXPECT_FALSE(report.by.empty());
  EXPECT_EQ(report.verdict, "allow");
  EXPECT_EQ(report.hashes[0].file, "terraform-provider-demo_1.0.0_linux_amd64.zip");
  EXPECT_EQ(report.hashes[1].file, report.hashes[0].file);
  EXPECT_EQ(report.hashes[2].file, "");
}

TEST_F(VerifyLockApiTest, SaysWhatItCannotCheckOfAMirroredRelease) {
  const std::string zip = api.upstream.Zip("1.0.0", *Platform::Parse("linux_amd64"));
  const std::string lock = LockOf(kUpstream, {Zh(zip), Zh("other"), "h1:other="});
  auto report = ReportOn(lock);
  EXPECT_EQ(StatesOf(report), (std::vector<std::string>{"unknown", "unknown", "unknown"}))
      << "nothing asked for it yet";
  EXPECT_EQ(report.seen, "");
  ASSERT_EQ(
      api.Get("/origin/registry.example.org/v1/providers/acme/demo/1.0.0/download/linux/amd64")
          .status,
      200U);
  api.SettleMirror();
  report = ReportOn(lock);
  EXPECT_EQ(StatesOf(report), (std::vector<std::string>{"known", "differs", "unchecked"}));
  EXPECT_EQ(report.from, "registry.example.org");
  EXPECT_FALSE(report.seen.empty());
  EXPECT_FALSE(report.key.empty());
  EXPECT_EQ(report.by, "");
  EXPECT_EQ(report.verdict, "allow");
  api.Deny("*/acme/*");
  report = ReportOn(lock);
  EXPECT_EQ(report.verdict, "refuse");
  EXPECT_EQ(StatesOf(report)[0], "known") << "a policy changes no bytes";
}

TEST_F(VerifyLockApiTest, HidesWhatTheCallerMayNotRead) {
  const std::vector<std::string> hashes = PublishOwn();
  const std::string lock = LockOf(kOwn, hashes);
  Send(http::Method::kPut, "/api/v1/namespaces/acme", R"({"visibility":"private"})");
  const auto hidden = ReportOn(lock);
  EXPECT_EQ(StatesOf(hidden), (std::vector<std::string>{"unknown", "unknown"}));
  const auto absent = ReportOn(LockOf("registry.example.com/acme/none", hashes));
  EXPECT_EQ(std::tie(hidden.seen, hidden.from, hidden.key, hidden.by, hidden.verdict),
            std::tie(absent.seen, absent.from, absent.key, absent.by, absent.verdict));
  EXPECT_EQ(StatesOf(ReportOn(lock, admin)), (std::vector<std::string>{"known", "known"}));
  EXPECT_EQ(StatesOf(ReportOn(lock, api.Token(Scope::kRead, {"other"}))),
            (std::vector<std::string>{"unknown", "unknown"}));
  EXPECT_EQ(Verify(lock, "koya_wrong").status, 401U);
}

TEST_F(VerifyLockApiTest, AWithdrawnReleaseIsSaidToBe) {
  const std::vector<std::string> hashes = PublishOwn();
  ASSERT_EQ(
      Send(http::Method::kDelete, "/api/v1/providers/acme/demo/1.0.0", R"({"reason":"leaks"})")
          .status,
      204U);
  const auto report = ReportOn(LockOf(kOwn, hashes));
  EXPECT_EQ(report.verdict, "withdrawn");
  EXPECT_EQ(StatesOf(report), (std::vector<std::string>{"unknown", "unknown"}));
}

TEST_F(VerifyLockApiTest, RefusesWhatIsNoLockFile) {
  EXPECT_EQ(Verify("").body, R"({"providers":[]})");
  EXPECT_EQ(Verify("# a comment\r\n").status, 200U);
  for (const std::string_view lock :
       {"<<<<<<< HEAD\n", "{\"providers\": []}", "provider \"acme/demo\" {\n", "\xff",
        "provider \"a.example/acme/demo\" {\n  version = \"x\"\n}\n"}) {
    const Reply reply = Verify(std::string(lock));
    EXPECT_EQ(reply.status, 400U) << lock;
    EXPECT_TRUE(reply.body.contains("line ")) << reply.body;
  }
  EXPECT_EQ(Verify(std::string((1 << 20) + 1, '#')).status, 413U);
  std::string many;
  for (int i = 0; i < 201; ++i) many += LockOf(fmt::format("a.example/acme/demo{}", i), {});
  const Reply reply = Verify(many);
  EXPECT_EQ(reply.status, 413U) << reply.body;
  EXPECT_TRUE(reply.body.contains("201 providers")) << reply.body;
  const std::vector<std::string> hashes(10'000, "zh:0");
  EXPECT_EQ(ReportOn(LockOf(kOwn, hashes)).hashes.size(), hashes.size());
  const Reply longer = Verify(LockOf(kOwn, hashes) + LockOf(kUpstream, {"zh:0"}));
  EXPECT_EQ(longer.status, 413U);
  EXPECT_TRUE(longer.body.contains("10001 hashes"));
}

// ---- the page

class VerifyLockPageTest : public VerifyLockApiTest {
 protected:
  // As a stranger's browser sends the form.
  Reply Send(const std::string& lock, const std::string& language = "en") {
    FakeBrowser browser(api);
    browser.fields = {{"Accept-Language", language}, {"Sec-Fetch-Site", "same-origin"}};
    return browser.Submit("/-/verify", {{"lock", lock}});
  }
};

TEST_F(VerifyLockPageTest, ShowsWhatTheDocumentSays) {
  const std::vector<std::string> hashes = PublishOwn();
  std::string lock = LockOf(kOwn, {hashes[0], Zh("other"), "x9:other"}) +
                     LockOf("registry.example.com/acme/none", {hashes[1]});
  const Reply page = Send(lock);
  ASSERT_EQ(page.status, 200U) << page.body;
  EXPECT_TRUE(page.Get("Content-Type").starts_with("text/html"));
  for (const std::string& text :
       {hashes[0], hashes[1], Zh("other"), std::string(kOwn), std::string("Published here"),
        std::string("terraform-provider-demo_1.0.0_linux_amd64.zip"), std::string(">known</span>"),
        std::string(">differs</span>"), std::string(">unknown</span>"),
        std::string(">unchecked</span>"), std::string("cannot confirm every hash")}) {
    EXPECT_TRUE(page.body.contains(text)) << text << "\n" << page.body;
  }
  EXPECT_TRUE(
      page.body.contains("spellcheck=\"false\" maxlength=\"100000000\" "
                         "aria-describedby=\"lock_hint\" required>\n</textarea>"))
      << "a lock file that was read is not shown again";
  lock = LockOf(kOwn, hashes);
  EXPECT_TRUE(Send(lock).body.contains("This registry knows every hash.")) << Send(lock).body;
  // As browsers send it, and as on Windows.
  std::string with_returns;
  for (char c : lock) with_returns += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_TRUE(Send(with_returns).body.contains("This registry knows every hash."));
  EXPECT_TRUE(Send("# nothing\n").body.contains("The lock file has no providers."));
}

TEST_F(VerifyLockPageTest, ShowsWhatIsNoLockFileAgain) {
  for (const std::string lock : {"<<<<<<< HEAD\n# kept", "{\"lockfileVersion\": 3, \"kept\": {}}",
                                 "[[package]]\nname = \"kept\"\n", "provider \"acme/kept\" {\n",
                                 "<!doctype html><title>kept</title>"}) {
    const Reply page = Send(lock);
    EXPECT_EQ(page.status, 422U) << lock;
    EXPECT_TRUE(page.body.contains("line ")) << page.body;
    EXPECT_TRUE(page.body.contains("aria-invalid=\"true\"")) << page.body;
    EXPECT_TRUE(page.body.contains("kept")) << page.body;
    EXPECT_FALSE(page.body.contains("<title>kept")) << "as a text";
    EXPECT_TRUE(Send(lock, "ja").body.contains("競合マーク")) << lock;
  }
  for (const std::string lock : {"", " ", "\r\n\r\n"}) {
    const Reply page = Send(lock);
    EXPECT_EQ(page.status, 422U);
    EXPECT_TRUE(page.body.contains("This field is required.")) << page.body;
  }
  std::string many = "# kept\n";
  for (int i = 0; i < 201; ++i) many += LockOf(fmt::format("a.example/acme/demo{}", i), {});
  const Reply page = Send(many);
  EXPECT_EQ(page.status, 413U);
  EXPECT_TRUE(page.body.contains("201 providers")) << page.body;
  EXPECT_TRUE(page.body.contains("# kept"));
}

TEST_F(VerifyLockPageTest, TakesAMebibyteAsItIsSent) {
  EXPECT_EQ(Send("#" + std::string((1 << 20) - 100, 'x')).status, 200U);
  const Reply page = Send("#" + std::string(10 << 20, 'x'));
  EXPECT_EQ(page.status, 413U);
  EXPECT_TRUE(page.body.contains("<html")) << page.body;
}

TEST_F(VerifyLockPageTest, ShowsReadersWhatTheyMaySeeAndNothingToOtherSites) {
  const std::vector<std::string> hashes = PublishOwn();
  const std::string lock = LockOf(kOwn, hashes);
  VerifyLockApiTest::Send(http::Method::kPut, "/api/v1/namespaces/acme",
                          R"({"visibility":"private"})");
  EXPECT_TRUE(Send(lock).body.contains("cannot confirm every hash"));
  api.AddUser("ada", "correct horse battery", true);
  FakeBrowser ada(api);
  ASSERT_EQ(ada.SignIn("ada", "correct horse battery").status, 303U);
  ada.Open("/-/verify");
  const Reply seen = ada.Submit("/-/verify", {{"lock", lock}});
  EXPECT_EQ(seen.status, 200U);
  EXPECT_TRUE(seen.body.contains("This registry knows every hash.")) << seen.body;
  // Her session does not answer for a form without her csrf.
  ada.fields = {{"Sec-Fetch-Site", "same-origin"}};
  EXPECT_EQ(ada.Submit("/-/verify", {{"lock", lock}, {"csrf", "x"}}).status, 403U);
  ada.fields = {{"Sec-Fetch-Site", "cross-site"}};
  EXPECT_EQ(ada.Submit("/-/verify", {{"lock", lock}}).status, 403U);
  EXPECT_EQ(FakeBrowser(api).Submit("/-/verify", {{"lock", lock}, {"csrf", "x"}}).status, 403U);
}

}  // namespace
}  // namespace koya::api
