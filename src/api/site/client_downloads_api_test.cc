// The programs that a server hands out, /-/cli/.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "api/common/api_fixture_fake.h"
#include "base/temp_folder_fake.h"
#include "domain/digest.h"
#include "wire/discovery.h"

namespace koya::api {
namespace {

class ClientDownloadsTest : public ::testing::Test {
 protected:
  ClientDownloadsTest() { api_.site.version = "0.9.0"; }

  // From here on the server runs from a release tree.
  void RunFromTree() {
    folder_.Write("bin/koya", "a program");
    folder_.Write("share/koya/manifest", fmt::format("koya 0.9.0 linux amd64\n755 {} bin/koya\n",
                                                     Digest::Of("a program").hex()));
    api_.client_tree = folder_.path();
    api_.SettleMirror();
  }
  Reply Ask(std::string path, std::string query = {}, std::string accept = "*/*") {
    Question question;
    question.path = std::move(path);
    question.query = std::move(query);
    question.fields = {{"Accept", std::move(accept)}};
    return api_.Ask(question);
  }
  wire::ClientPrograms Programs() {
    const Reply reply = Ask("/-/cli/");
    EXPECT_EQ(reply.Get("Content-Type"), "application/json");
    return wire::Decode<wire::ClientPrograms>(reply.body).value();
  }

  TempFolder folder_;
  ApiFixture api_;
};

TEST_F(ClientDownloadsTest, AServerWithoutAReleaseNamesItsVersion) {
  api_.SettleMirror();
  EXPECT_EQ(Ask("/-/cli/").body, R"({"version":"0.9.0","platforms":[]})");
  EXPECT_TRUE(Ask("/-/cli/", {}, "text/html").body.contains("built from source"));
  const Reply script = Ask("/-/cli/install.sh");
  EXPECT_EQ(script.status, 404U);
  EXPECT_TRUE(script.body.contains("built from source"));
  EXPECT_EQ(Ask("/-/cli/koya-linux-amd64.tar.gz").status, 404U);
}

TEST_F(ClientDownloadsTest, DocumentPageScriptAndArchiveAgree) {
  RunFromTree();
  const wire::ClientPrograms programs = Programs();
  ASSERT_EQ(programs.platforms.size(), 1U);
  const wire::ClientProgram& program = programs.platforms.front();
  EXPECT_EQ(program.os + "_" + program.arch, "linux_amd64");
  EXPECT_EQ(program.url,
            "https://registry.example.com/-/cli/koya-linux-amd64.tar.gz?sha256=" + program.sha256);

  const Reply archive = Ask("/-/cli/koya-linux-amd64.tar.gz", "sha256=" + program.sha256);
  EXPECT_EQ(archive.status, 200U);
  EXPECT_EQ(archive.Get("Content-Type"), "application/gzip");
  EXPECT_EQ(archive.body.size(), program.size);
  EXPECT_EQ(Digest::Of(archive.body).hex(), program.sha256);
  EXPECT_EQ(archive.etag, "\"" + program.sha256 + "\"");
  EXPECT_EQ(Ask("/-/cli/koya-linux-amd64.tar.gz").body, archive.body);

  const Reply script = Ask("/-/cli/install.sh");
  EXPECT_TRUE(script.Get("Content-Type").starts_with("text/x-shellscript"));
  EXPECT_TRUE(script.body.contains("server='https://registry.example.com' version='0.9.0'"));
  EXPECT_TRUE(script.body.contains("Linux-x86_64) arch=amd64 digest=" + program.sha256));

  const Reply page = Ask("/-/cli/", {}, "text/html,*/*;q=0.8");
  EXPECT_TRUE(page.Get("Content-Type").starts_with("text/html"));
  EXPECT_TRUE(page.body.contains(program.sha256));
  EXPECT_TRUE(page.body.contains("https://registry.example.com/-/cli/install.sh"));
}

TEST_F(ClientDownloadsTest, AnotherArchiveThanTheOneAskedForIsAConflict) {
  RunFromTree();
  const Reply other =
      Ask("/-/cli/koya-linux-amd64.tar.gz", "sha256=" + Digest::Of("another").hex());
  EXPECT_EQ(other.status, 409U);
  EXPECT_TRUE(other.body.contains("request /-/cli/install.sh again")) << other.body;
  EXPECT_EQ(Ask("/-/cli/koya-linux-amd64.tar.gz", "sha256=abc").status, 400U);
  EXPECT_EQ(Ask("/-/cli/koya-linux-arm64.tar.gz").status, 404U);
  EXPECT_EQ(Ask("/-/cli/koya").status, 404U);
}

TEST_F(ClientDownloadsTest, ADamagedReleaseIsAnErrorForProgramsAndPeople) {
  RunFromTree();
  folder_.Write("bin/koya", "another program");
  const Reply document = Ask("/-/cli/", {}, "application/json");
  EXPECT_EQ(document.status, 500U);
  EXPECT_TRUE(document.body.starts_with("{\"errors\":[\"this server's release is damaged"))
      << document.body;
  const Reply page = Ask("/-/cli/", {}, "text/html");
  EXPECT_EQ(page.status, 500U);
  EXPECT_TRUE(page.body.contains("release is damaged"));
}

TEST_F(ClientDownloadsTest, WithoutPagesThereIsStillADocument) {
  api_.site.enabled = false;
  RunFromTree();
  EXPECT_TRUE(Ask("/-/cli/", {}, "text/html").body.starts_with("{\"version\":\"0.9.0\""));
  EXPECT_EQ(Ask("/-/cli/install.sh").status, 200U);
}

TEST_F(ClientDownloadsTest, WithoutAnonymousAccessATokenIsRequired) {
  api_.access.anonymous_read = false;
  RunFromTree();
  for (const char* path : {"/-/cli/", "/-/cli/install.sh", "/-/cli/koya-linux-amd64.tar.gz"}) {
    EXPECT_EQ(Ask(path).status, 401U) << path;
  }
  api_.token = api_.Token(Scope::kPublish, {"acme"});
  for (const char* path : {"/-/cli/", "/-/cli/install.sh", "/-/cli/koya-linux-amd64.tar.gz"}) {
    EXPECT_EQ(Ask(path).status, 200U) << path;
  }
}

}  // namespace
}  // namespace koya::api
