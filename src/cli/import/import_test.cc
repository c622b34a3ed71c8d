#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/import/protocol_source.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

// A source over https and a target, whose answers tests set by target; 404 to the rest.
class RegistryImportTest : public upstream::UpstreamTest {
 protected:
  RegistryImportTest() {
    their_.Set("/.well-known/terraform.json",
               ScriptedAnswer::Json(200, R"({"modules.v1":"/v1/modules/"})"));
  }

  ProgramRun Import(std::vector<std::string> more) {
    std::vector<std::string> words{"import", "registry", source_->url(), "--jobs", "1", "--json"};
    std::ranges::move(more, std::back_inserter(words));
    return RunKoya(std::move(words), {{"KOYA_URL", target_.url()},
                                      {"KOYA_TOKEN", "t"},
                                      {"HOME", "/nonexistent"},
                                      {"SSL_CERT_FILE", Options().ca_file}});
  }

  void List(const std::string& path, const std::string& entries, const std::string& meta = "{}") {
    their_.Set(
        path, ScriptedAnswer::Json(200, R"({"meta":)" + meta + R"(,"modules":[)" + entries + "]}"));
  }
  static std::string Entry(const std::string& name) {
    return R"({"namespace":"acme","name":")" + name + R"(","provider":"aws"})";
  }

  upstream::AnswersByPath their_;
  upstream::AnswersByPath our_;
  std::unique_ptr<ScriptedServer> source_ =
      Serve(Respond([this](const ScriptedRequest& request) { return their_.Get(request.target); }));
  ScriptedServer target_{
      [this](const ScriptedRequest& request) { return our_.Get(request.target); }};
};

constexpr std::string_view kFirstPage = "/v1/modules?limit=100&offset=0";

TEST_F(RegistryImportTest, AssessReadsAllPagesAndSendsNothing) {
  List(std::string(kFirstPage), Entry("a"), R"({"next_offset":1})");
  List("/v1/modules?limit=100&offset=1", Entry("b"));
  for (const char* name : {"a", "b"}) {
    their_.Set(std::string("/v1/modules/acme/") + name + "/aws/versions",
               ScriptedAnswer::Json(
                   200, R"({"modules":[{"versions":[{"version":"1.0.0"},{"version":"v2.0"}]}]})"));
  }
  our_.Set("/v1/modules/acme/a/aws/versions",
           ScriptedAnswer::Json(200, R"({"modules":[{"versions":[{"version":"1.0.0"}]}]})"));
  ProgramRun run = Import({"--assess"});
  EXPECT_EQ(run.status, 1);  // v2.0
  for (const char* words : {R"("packages":2)", R"("versions":1)", R"("unchanged":1)", "v2.0"}) {
    EXPECT_TRUE(run.out.contains(words)) << words << " " << run.out << run.err;
  }
  for (const ScriptedRequest& each : target_.requests()) EXPECT_EQ(each.method, "GET");
}

struct BadList {
  std::string name;
  ScriptedAnswer answer;
  std::string words;
};

TEST_F(RegistryImportTest, ListsThatNeverEndOrAreNoneAreNamed) {
  const std::string same = Entry("a");
  const BadList lists[] = {
      {"HTML", {.status = 200, .body = " <html>Sign in</html>"}, "HTML"},
      {"other JSON", ScriptedAnswer::Json(200, "[]"), "the list"},
      {"an offset that stays",
       ScriptedAnswer::Json(200, R"({"meta":{"next_offset":0},"modules":[)" + same + "]}"),
       "never ends"},
      {"no list", {.status = 404}, "--list"},
      {"a failure", {.status = 500}, "500"},
  };
  for (const BadList& each : lists) {
    SCOPED_TRACE(each.name);
    their_.Set(kFirstPage, each.answer);
    ProgramRun run = Import({});
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(run.err.contains(each.words)) << run.err;
  }
}

TEST_F(RegistryImportTest, BadLinesAreUsageOrErrors) {
  const std::pair<std::vector<std::string>, std::string> lines[] = {
      {{"--map", "acme"}, "THEIRS=OURS"},
      {{"--list", "/nonexistent/names"}, "/nonexistent/names"},
      {{"--watch", "soon"}, "10m"},
      {{"--watch", "10m", "--assess"}, "--assess"},
  };
  for (const auto& [words, said] : lines) {
    ProgramRun run = Import(words);
    EXPECT_NE(run.status, 0);
    EXPECT_TRUE(run.err.contains(said)) << run.err;
  }
}

TEST(NetrcLogin, IsThatOfTheHost) {
  const std::string text =
      "machine other.test login a password b\n"
      "machine old.test\n\tlogin me\n\tpassword secret\nmachine empty.test login x\n"
      "default login d password e\n";
  const auto found = FindNetrcLogin(text, "OLD.test");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->user + " " + found->password, "me secret");
  for (const char* host : {"none.test", "empty.test", "", "machine"}) {
    EXPECT_FALSE(FindNetrcLogin(text, host)) << host;
  }
  for (const char* broken : {"", "machine", "machine old.test password", "password x machine y"}) {
    EXPECT_FALSE(FindNetrcLogin(broken, "old.test")) << broken;
  }
}

}  // namespace
}  // namespace koya::cli
