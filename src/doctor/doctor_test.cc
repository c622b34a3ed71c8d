// The doctor against local servers, over real sockets and real TLS.
#include "doctor/doctor.h"
#include "base/temp_folder_fake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/digest.h"
#include "http/scripted_server_fake.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::doctor {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

class DoctorTest : public testing::Test {
 protected:
  DoctorTest() { folder_.Write("ca.pem", root_.Pem()); }

  upstream::TestCertificate Leaf(std::string names) {
    return upstream::MakeCertificate(
        {.common_name = "127.0.0.1", .alternative_names = std::move(names)}, &root_);
  }

  Findings ExamineServer(const ScriptedServer& server, std::string_view module = {}) {
    return ExamineUrl(server.url(), module);
  }
  Findings ExamineUrl(const std::string& url, std::string_view module = {}) {
    DoctorOptions options{.registry = *http::ParseUrl(url)};
    options.http.ca_file = (folder_ / "ca.pem").string();
    // The system's certificates have no part in a test.
    options.http.ca_directory = folder_.path().string();
    options.token = "secret";
    if (!module.empty()) options.module = *ModuleAddress::Parse(module);
    options.on_finding = [this](const Finding& each) { told_.push_back(each); };
    return Examine(options, clock_);
  }

  TempFolder folder_;
  SystemClock clock_;
  upstream::TestCertificate root_ =
      upstream::MakeCertificate({.common_name = "Test Root", .authority = true});
  Findings told_;
};

std::string Shown(const Findings& findings) {
  std::string text;
  for (const Finding& each : findings) {
    text += std::string(SeverityName(each.severity)) + " " + each.step + ": " + each.message + "\n";
  }
  return text;
}

constexpr std::string_view kArchive = "\x1f\x8b pretends to be a gzip";

// A registry with one module, as it should be.
ScriptedAnswer Registry(const ScriptedRequest& request, const std::string& url) {
  if (request.target == "/.well-known/terraform.json") {
    return ScriptedAnswer::Json(200,
                                R"({"modules.v1":"/v1/modules/","providers.v1":"/v1/providers/"})");
  }
  if (request.target == "/v1/modules/acme/vpc/aws/versions") {
    return ScriptedAnswer::Json(200, R"({"modules":[{"versions":[{"version":"1.0.0"}]}]})");
  }
  if (request.target == "/v1/modules/acme/vpc/aws/1.0.0/download") {
    std::string location = url + "/a/vpc.tar.gz?checksum=" + Digest::Of(kArchive).ToString();
    return {204, {{"X-Terraform-Get", location}}, "", {}};
  }
  if (request.target == "/a/vpc.tar.gz") return {200, {}, std::string(kArchive), {}};
  return ScriptedAnswer::Json(404, R"({"errors":["Not Found"]})");
}

TEST_F(DoctorTest, FindsNothingWrongWithAGoodRegistry) {
  std::shared_ptr<SSL_CTX> tls = upstream::ServerContext({Leaf("IP:127.0.0.1")});
  std::string url;
  ScriptedServer server([&](const ScriptedRequest& each) { return Registry(each, url); },
                        tls.get());
  url = server.url();
  Findings findings = ExamineServer(server, "acme/vpc/aws");
  for (const Finding& each : findings) EXPECT_EQ(each.severity, Severity::kOk) << Shown(findings);
  EXPECT_EQ(findings, told_);
  std::string shown = Shown(findings);
  for (std::string_view words : {"ok dns:", "ok tcp:", "ok tls:", "ok discovery:", "ok modules.v1:",
                                 "ok providers.v1:", "the checksum matches"}) {
    EXPECT_NE(shown.find(words), std::string::npos) << shown;
  }
  for (const ScriptedRequest& each : server.requests()) {
    bool archive = each.target.starts_with("/a/");
    EXPECT_EQ(each.fields.contains("authorization"), !archive) << each.target;
  }
}

struct BadTls {
  std::string_view what;
  std::vector<upstream::TestCertificate> chain;
  std::string_view words;
};

TEST_F(DoctorTest, ExplainsBadCertificates) {
  upstream::TestCertificate other_root =
      upstream::MakeCertificate({.common_name = "Other Root", .authority = true});
  upstream::TestCertificate middle =
      upstream::MakeCertificate({.common_name = "Middle", .authority = true}, &other_root);
  upstream::TestCertificate by_middle = upstream::MakeCertificate(
      {.common_name = "127.0.0.1", .alternative_names = "IP:127.0.0.1"}, &middle);
  upstream::TestCertificate own =
      upstream::MakeCertificate({.common_name = "127.0.0.1", .alternative_names = "IP:127.0.0.1"});
  upstream::TestCertificate expired =
      upstream::MakeCertificate({.common_name = "127.0.0.1",
                                 .alternative_names = "IP:127.0.0.1",
                                 .valid_from = -7200,
                                 .valid_for = -3600},
                                &root_);
  upstream::TestCertificate early = upstream::MakeCertificate(
      {.common_name = "127.0.0.1", .alternative_names = "IP:127.0.0.1", .valid_from = 3600},
      &root_);
  const std::vector<BadTls> kBad = {
      {"self-signed", {own}, "self-signed"},
      {"intermediate missing", {by_middle}, "intermediate certificate is missing"},
      {"unknown root", {by_middle, middle}, "chain of 2 certificates"},
      {"root sent, not trusted", {by_middle, middle, other_root}, "CN=Other Root, which is not"},
      {"expired", {expired}, "expired on"},
      {"not yet valid", {early}, "is not valid before"},
      {"another name", {Leaf("DNS:elsewhere.test")}, "valid for elsewhere.test, not for 127.0.0.1"},
      {"common name only", {Leaf("")}, "only as its common name"},
  };
  for (const BadTls& each : kBad) {
    std::shared_ptr<SSL_CTX> tls = upstream::ServerContext(each.chain);
    ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; }, tls.get());
    Findings findings = ExamineServer(server);
    EXPECT_EQ(findings.back().step, "tls") << each.what << "\n" << Shown(findings);
    EXPECT_NE(Shown(findings).find(each.words), std::string::npos) << each.what << "\n"
                                                                   << Shown(findings);
    EXPECT_TRUE(server.requests().empty()) << each.what;
  }
}

TEST_F(DoctorTest, SaysThatPlainHttpIsNotEnoughAndLooksOn) {
  ScriptedServer server([](const ScriptedRequest& each) { return Registry(each, ""); });
  Findings findings = ExamineServer(server);
  EXPECT_TRUE(AnyFailure(findings));
  EXPECT_EQ(findings.front().step, "address");
  EXPECT_NE(Shown(findings).find("modules.v1"), std::string::npos) << Shown(findings);
}

TEST_F(DoctorTest, SaysThatThePortDoesNotSpeakTls) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
  DoctorOptions options{.registry =
                            *http::ParseUrl("https://127.0.0.1:" + std::to_string(server.port()))};
  Findings findings = Examine(options, clock_);
  EXPECT_EQ(findings.back().step, "tls");
  EXPECT_EQ(findings.back().severity, Severity::kFailure);
}

TEST_F(DoctorTest, NamesTheRootsFileThatCannotBeRead) {
  std::shared_ptr<SSL_CTX> tls = upstream::ServerContext({Leaf("IP:127.0.0.1")});
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; }, tls.get());
  DoctorOptions options{.registry = *http::ParseUrl(server.url())};
  options.http.ca_file = (folder_ / "none.pem").string();
  Findings findings = Examine(options, clock_);
  EXPECT_NE(findings.back().message.find("none.pem"), std::string::npos) << Shown(findings);
  EXPECT_NE(findings.back().fix.find("SSL_CERT_FILE"), std::string::npos);
}

TEST_F(DoctorTest, SaysThatNothingListens) {
  std::string url;
  {
    ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
    url = "https://127.0.0.1:" + std::to_string(server.port());
  }
  Findings findings = Examine({.registry = *http::ParseUrl(url)}, clock_);
  EXPECT_EQ(findings.back().step, "tcp");
  EXPECT_EQ(findings.back().severity, Severity::kFailure);
}

TEST_F(DoctorTest, FindsARegistryThatProtectsItsDocumentFromStaleTokens) {
  std::shared_ptr<SSL_CTX> tls = upstream::ServerContext({Leaf("IP:127.0.0.1")});
  ScriptedServer server(
      [](const ScriptedRequest& request) {
        auto token = request.fields.find("authorization");
        bool stale = token != request.fields.end() && token->second != "Bearer secret";
        return stale ? ScriptedAnswer{401, {}, "", {}} : Registry(request, "");
      },
      tls.get());
  Findings findings = ExamineServer(server);
  EXPECT_NE(Shown(findings).find("failure discovery: with an unknown token"), std::string::npos)
      << Shown(findings);
}

TEST_F(DoctorTest, TheTokenNeverFollowsARedirectToAnotherSchemeHostOrPort) {
  std::shared_ptr<SSL_CTX> tls = upstream::ServerContext({Leaf("IP:127.0.0.1,DNS:localhost")});
  std::string home;
  ScriptedServer plain([&](const ScriptedRequest& request) { return Registry(request, home); });
  ScriptedServer other([&](const ScriptedRequest& request) { return Registry(request, home); },
                       tls.get());
  std::string host = "https://localhost:" + std::to_string(other.port());
  for (const std::string& elsewhere : {plain.url(), other.url(), host}) {
    ScriptedServer server(
        [&](const ScriptedRequest& request) {
          return ScriptedAnswer{302, {{"Location", elsewhere + request.target}}, "", {}};
        },
        tls.get());
    home = server.url();
    ExamineServer(server, "acme/vpc/aws");
    ASSERT_FALSE(server.requests().empty());
    EXPECT_TRUE(server.requests().front().fields.contains("authorization"));
  }
  for (const ScriptedServer* server : {&plain, &other}) {
    EXPECT_FALSE(server->requests().empty());
    for (const ScriptedRequest& request : server->requests()) {
      EXPECT_FALSE(request.fields.contains("authorization")) << request.target;
    }
  }
}

TEST_F(DoctorTest, TheTokenIsNeverShownInTheClearButToThisMachine) {
  std::string url;
  ScriptedServer server([&](const ScriptedRequest& each) { return Registry(each, url); });
  const std::string port = std::to_string(server.port());
  // The first is this machine too, but only to those who know; to the doctor it is any address.
  for (const auto& [host, shown] : {std::pair("0.0.0.0", false), std::pair("127.0.0.1", true)}) {
    url = fmt::format("http://{}:{}", host, port);
    std::size_t before = server.requests().size();
    Findings findings = ExamineUrl(url, "acme/vpc/aws");
    std::vector<ScriptedRequest> seen = server.requests();
    ASSERT_GT(seen.size(), before + 3) << Shown(findings);
    for (std::size_t i = before; i < seen.size(); ++i) {
      auto token = seen[i].fields.find("authorization");
      bool secret = token != seen[i].fields.end() && token->second == "Bearer secret";
      bool document = !seen[i].target.starts_with("/a/") && token == seen[i].fields.end();
      EXPECT_TRUE(shown || !secret) << seen[i].target;
      EXPECT_FALSE(shown && document) << seen[i].target;
    }
  }
}

struct LargeAnswer {
  std::string_view what;
  ScriptedAnswer answer;
  std::string_view words;
};

TEST_F(DoctorTest, SaysWhatOfTheDiscoveryDocumentsAnswerIsTooLarge) {
  std::shared_ptr<SSL_CTX> tls = upstream::ServerContext({Leaf("IP:127.0.0.1")});
  const std::vector<LargeAnswer> kLarge = {
      {"the document", ScriptedAnswer::Json(200, std::string((1 << 20) + 2, ' ')),
       "failure discovery: the document is larger than 1 MiB"},
      {"its head",
       {.fields = std::vector(1001, std::pair(std::string("X"), std::string("x")))},
       "failure discovery: the response head has more than 1000 fields"},
  };
  for (const LargeAnswer& each : kLarge) {
    ScriptedServer server([&](const ScriptedRequest&) { return each.answer; }, tls.get());
    std::string shown = Shown(ExamineServer(server));
    EXPECT_NE(shown.find(each.words), std::string::npos) << each.what << "\n" << shown;
  }
}

TEST_F(DoctorTest, FindsAChangedArchiveAndAMissingModule) {
  std::shared_ptr<SSL_CTX> tls = upstream::ServerContext({Leaf("IP:127.0.0.1")});
  std::string url;
  ScriptedServer server(
      [&](const ScriptedRequest& request) {
        if (request.target == "/a/vpc.tar.gz") return ScriptedAnswer{200, {}, "\x1f\x8b other", {}};
        return Registry(request, url);
      },
      tls.get());
  url = server.url();
  std::string shown = Shown(ExamineServer(server, "acme/vpc/aws"));
  EXPECT_NE(shown.find("failure module: the archive's checksum is"), std::string::npos) << shown;
  shown = Shown(ExamineServer(server, "acme/none/aws"));
  EXPECT_NE(shown.find("no such module"), std::string::npos) << shown;
}

TEST_F(DoctorTest, EndsWhenRedirectsGoInACircle) {
  std::shared_ptr<SSL_CTX> tls = upstream::ServerContext({Leaf("IP:127.0.0.1")});
  ScriptedServer server(
      [](const ScriptedRequest& request) {
        return ScriptedAnswer{302, {{"Location", request.target}}, "", {}};
      },
      tls.get());
  std::string shown = Shown(ExamineServer(server));
  EXPECT_NE(shown.find("too many redirects"), std::string::npos) << shown;
}

}  // namespace
}  // namespace koya::doctor
