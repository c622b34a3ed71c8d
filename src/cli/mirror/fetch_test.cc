#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

// A mirror that holds acme/demo and the module acme/vpc/aws; the test may say otherwise by path.
class MirrorServer {
 public:
  MirrorServer() : server_([this](const ScriptedRequest& request) { return Respond(request); }) {}

  std::string url() const { return server_.url(); }
  // The next answers to a path, one after the other, before the usual one.
  void Script(const std::string& path, std::vector<ScriptedAnswer> answers) {
    std::lock_guard lock(mutex_);
    scripted_[path] = std::move(answers);
  }
  std::vector<std::string> asked() const {
    std::vector<std::string> out;
    for (const ScriptedRequest& each : server_.requests()) {
      auto range = each.fields.find("range");
      out.push_back(each.target + (range == each.fields.end() ? "" : " " + range->second));
    }
    return out;
  }
  std::size_t Count(std::string_view line) const {
    std::size_t count = 0;
    for (const std::string& each : asked()) count += each == line ? 1 : 0;
    return count;
  }

 private:
  ScriptedAnswer Respond(const ScriptedRequest& request) {
    std::lock_guard lock(mutex_);
    auto scripted = scripted_.find(request.target);
    if (scripted != scripted_.end() && !scripted->second.empty()) {
      ScriptedAnswer answer = scripted->second.front();
      scripted->second.erase(scripted->second.begin());
      return answer;
    }
    auto known = Known().find(request.target);
    if (known != Known().end()) return ScriptedAnswer::Json(200, known->second);
    if (request.target.ends_with(".zip")) return {.status = 206, .body = "x"};
    if (request.target.ends_with("/download")) {
      return {.status = 204, .fields = {{"X-Terraform-Get", "/archive"}}};
    }
    return ScriptedAnswer::Json(404, R"({"errors":["there is no such provider"]})");
  }
  static const std::map<std::string, std::string>& Known() {
    static const std::map<std::string, std::string> kKnown = {
        {"/mirror/registry.opentofu.org/acme/demo/index.json",
         R"({"versions":{"1.0.0":{},"1.1.0":{},"1.2.0-rc.1":{},"2.0.0":{},"odd":{}}})"},
        {"/mirror/registry.opentofu.org/acme/demo/1.0.0.json", Release("1.0.0")},
        {"/mirror/registry.opentofu.org/acme/demo/1.1.0.json", Release("1.1.0")},
        {"/mirror/registry.opentofu.org/acme/demo/2.0.0.json", Release("2.0.0")},
        {"/mirror/registry.opentofu.org/acme/demo/9.0.0.json", R"({"archives":{}})"},
        {"/origin/registry.opentofu.org/v1/modules/acme/vpc/aws/versions",
         R"({"modules":[{"source":"acme/vpc/aws","versions":[{"version":"1.0.0"},{"version":"1.4.0"}]}]})"},
    };
    return kKnown;
  }
  static std::string Release(const std::string& version) {
    std::string text;
    for (std::string platform : {"linux_amd64", "darwin_arm64"}) {
      // Under another name of the server, as behind a proxy.
      text += (text.empty() ? "" : ",") + ("\"" + platform) +
              R"(":{"url":"https://elsewhere.test/mirror/registry.opentofu.org/acme/demo/)" +
              version + "/" + platform + R"(.zip","hashes":["h1:served","zh:)" + version +
              platform + "\"]}";
    }
    return R"({"archives":{)" + text + "}}";
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<ScriptedAnswer>> scripted_;
  ScriptedServer server_;
};

std::string Zip(const std::string& version, const std::string& platform) {
  return "/mirror/registry.opentofu.org/acme/demo/" + version + "/" + platform + ".zip bytes=-1";
}

class MirrorFetchTest : public testing::Test {
 protected:
  ProgramRun Fetch(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"mirror", "fetch", "--server", server_.url()});
    return RunKoya(std::move(arguments), {{"HOME", "/nonexistent"}, {"KOYA_TOKEN", "t"}});
  }
  std::string Write(const std::string& name, const std::string& text) {
    std::string path = folder_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }

  MirrorServer server_;
  TempFolder folder_;
};

TEST_F(MirrorFetchTest, FetchesTheNewestThatIsAllowed) {
  ProgramRun run = Fetch({"acme/demo@~> 1.0", "--platform", "linux_amd64"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "[1/1] registry.opentofu.org/acme/demo 1.1.0 linux_amd64\n1 fetched or already cached, "
            "0 failed\n");
  EXPECT_EQ(server_.Count(Zip("1.1.0", "linux_amd64")), 1U);
  EXPECT_EQ(server_.asked().size(), 3U);
}

TEST_F(MirrorFetchTest, FetchesAllVersionsForAllPlatforms) {
  ProgramRun run = Fetch({"registry.opentofu.org/acme/demo", "acme/vpc/aws", "--all-versions",
                          "--platform", "linux_amd64", "--platform", "darwin_arm64", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  for (std::string version : {"1.0.0", "1.1.0", "2.0.0"}) {
    for (std::string platform : {"linux_amd64", "darwin_arm64"}) {
      EXPECT_EQ(server_.Count(Zip(version, platform)), 1U) << version << platform;
      EXPECT_NE(run.out.find(R"({"address":"registry.opentofu.org/acme/demo","version":")" +
                             version + R"(","platform":")" + platform + "\"}"),
                std::string::npos)
          << run.out;
    }
  }
  for (std::string version : {"1.0.0", "1.4.0"}) {
    EXPECT_EQ(server_.Count("/origin/registry.opentofu.org/v1/modules/acme/vpc/aws/" + version +
                            "/download"),
              1U);
  }
  EXPECT_TRUE(run.out.ends_with(R"("failed":[],"problems":[],"notes":[]})"
                                "\n"))
      << run.out;
}

TEST_F(MirrorFetchTest, AsksAgainWhenItIsToldTo) {
  const std::string path = "/origin/registry.opentofu.org/v1/modules/acme/vpc/aws/1.4.0/download";
  ScriptedAnswer later{.status = 503, .fields = {{"Retry-After", "1"}}};
  server_.Script(path, {later});
  ProgramRun run = Fetch({"acme/vpc/aws@~> 1.0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(server_.Count(path), 2U);
}

TEST_F(MirrorFetchTest, TakesWholePackagesFromThoseWhoKnowNoRanges) {
  const std::string path = "/mirror/registry.opentofu.org/acme/demo/1.0.0/linux_amd64.zip";
  struct Case {
    ScriptedAnswer answer;
    int status;
  };
  const std::vector<Case> kCases = {{{.status = 200, .body = "the whole package"}, 0},
                                    {{.status = 200, .body = ""}, 1},
                                    {{.status = 206, .body = "more than one"}, 1},
                                    {{.status = 302, .fields = {{"Location", "/x"}}}, 1}};
  for (const Case& each : kCases) {
    server_.Script(path, {each.answer});
    ProgramRun run = Fetch({"acme/demo@1.0.0", "--platform", "linux_amd64"});
    EXPECT_EQ(run.status, each.status) << run.out << run.err;
  }
}

TEST_F(MirrorFetchTest, GoesOnAfterAFailureAndSaysWhich) {
  server_.Script("/mirror/registry.opentofu.org/acme/demo/1.0.0/linux_amd64.zip",
                 {ScriptedAnswer::Json(502, R"({"errors":["the signature is by no known key"]})")});
  ProgramRun run = Fetch({"acme/nothing", "acme/demo@1.0.0", "acme/demo@2.0.0", "acme/demo@> 3",
                          "acme/demo@1.2.0-rc.1", "--platform", "linux_amd64"});
  EXPECT_EQ(run.status, 1);
  for (std::string_view words :
       {"koya: registry.opentofu.org/acme/nothing: there is no such provider",
        "acme/demo 1.0.0 linux_amd64: the signature is by no known key",
        "acme/demo: no version matches \"> 3\"",
        "acme/demo 1.2.0-rc.1: there is no such provider"}) {
    EXPECT_NE(run.err.find(words), std::string::npos) << words << "\n" << run.err;
  }
  EXPECT_NE(run.out.find("acme/demo 2.0.0 linux_amd64\n1 fetched or already cached, 4 failed\n"),
            std::string::npos)
      << run.out;
  run = Fetch(
      {"acme/demo@1.0.0", "--platform", "windows_amd64", "--platform", "linux_amd64", "--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.out.find("it was released for darwin_arm64, linux_amd64 only"), std::string::npos);
  EXPECT_EQ(server_.Count(Zip("1.0.0", "linux_amd64")), 2U);
}

TEST_F(MirrorFetchTest, ComparesWithTheLock) {
  auto lock = [&](std::string_view version, std::string_view hashes) {
    return Write("lock.hcl", "provider \"registry.opentofu.org/acme/demo\" {\n  version = \"" +
                                 std::string(version) + "\"\n  hashes = [" + std::string(hashes) +
                                 "]\n}\n");
  };
  auto fetch = [&](const std::string& path) {
    return Fetch({"--lock", path, "--platform", "linux_amd64"});
  };
  EXPECT_EQ(fetch(lock("1.0.0", "\"h1:x\", \"zh:1.0.0linux_amd64\"")).status, 0);
  EXPECT_EQ(server_.Count("/mirror/registry.opentofu.org/acme/demo/index.json"), 0U);
  EXPECT_EQ(fetch(lock("1.0.0", "")).status, 0);
  ProgramRun run = fetch(lock("1.0.0", "\"h1:x\", \"zh:other\""));
  EXPECT_EQ(run.status, 1);
  for (std::string_view words :
       {"serves h1:served, zh:1.0.0linux_amd64,", "allows h1:x, zh:other", "lock.hcl:1"}) {
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  }
  run = fetch(lock("9.0.0", "\"h1:x\""));
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("acme/demo 9.0.0: the server has no such release"), std::string::npos);
  run = fetch(Write("bad.hcl", "provider \"x\" {\n}\n"));
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("bad.hcl: line 1"), std::string::npos) << run.err;
  EXPECT_EQ(fetch(folder_ / "none").status, 1);
}

// What a client of a network mirror has locked is known once the server holds the package.
TEST_F(MirrorFetchTest, LooksAgainForHashesThatComeWithThePackage) {
  const std::string path = "/mirror/registry.opentofu.org/acme/demo/1.0.0.json";
  auto release = [](std::string_view hashes) {
    return ScriptedAnswer::Json(
        200, R"({"archives":{"linux_amd64":{"url":"1.0.0/linux_amd64.zip","hashes":[)" +
                 std::string(hashes) + "]}}}");
  };
  server_.Script(path, {release("\"zh:a\""), release("\"zh:a\",\"h1:b\"")});
  ProgramRun run = Fetch({"--platform", "linux_amd64", "--lock",
                          Write("lock.hcl",
                                "provider \"registry.opentofu.org/acme/demo\" {\n  version = "
                                "\"1.0.0\"\n  hashes = [\"h1:b\"]\n}\n")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(server_.Count(path), 2U);
}

TEST_F(MirrorFetchTest, ReadsAConfiguration) {
  Write("config/main.tf", R"(terraform {
  required_providers {
    demo = { source = "acme/demo", version = "< 2.0" }
  }
}
module "vpc" {
  source  = "acme/vpc/aws//sub"
  version = "1.0.0"
}
module "odd" {
  source = local.source
}
)");
  ProgramRun run = Fetch({"--config", folder_ / "config", "--platform", "linux_amd64"});
  EXPECT_EQ(run.status, 1);  // for what could not be read
  EXPECT_NE(run.out.find("2 fetched or already cached, 0 failed, 1 not read"), std::string::npos)
      << run.out << run.err;
  EXPECT_NE(run.err.find("not read: main.tf:10: "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("has no .opentofu.lock.hcl or .terraform.lock.hcl: "), std::string::npos)
      << run.err;
  EXPECT_EQ(server_.Count(Zip("1.1.0", "linux_amd64")), 1U);

  Write("config/.terraform.lock.hcl",
        "provider \"registry.opentofu.org/acme/demo\" {\n  version = \"1.0.0\"\n}\n");
  run = Fetch({"--config", folder_ / "config", "--platform", "linux_amd64"});
  EXPECT_EQ(run.err.find("has no "), std::string::npos) << run.err;
  EXPECT_EQ(server_.Count(Zip("1.0.0", "linux_amd64")), 1U);
  EXPECT_EQ(server_.Count(Zip("1.1.0", "linux_amd64")), 1U);

  // OpenTofu's own file comes first, with blocks that it alone has.
  Write("config/.opentofu.lock.hcl",
        "module \"vpc\" {\n  version = \"1.0.0\"\n}\n"
        "provider \"registry.opentofu.org/acme/demo\" {\n  version = \"1.1.0\"\n}\n");
  run = Fetch({"--config", folder_ / "config", "--platform", "linux_amd64"});
  EXPECT_EQ(server_.Count(Zip("1.0.0", "linux_amd64")), 1U);
  EXPECT_EQ(server_.Count(Zip("1.1.0", "linux_amd64")), 2U);
}

TEST_F(MirrorFetchTest, RefusesWhatItCannotAskFor) {
  const std::vector<std::vector<std::string>> kRefused = {
      {"demo"},
      {"a/b/c/d/e"},
      {"acme/demo@=> 1"},
      {"acme/demo@v1"},
      {"a.test/acme/x/Y"},
      {"acme/de_mo"},
      {"terraform.io/builtin/terraform"},
  };
  for (const std::vector<std::string>& arguments : kRefused) {
    ProgramRun run = Fetch(arguments);
    EXPECT_EQ(run.status, 2) << arguments.front();
    EXPECT_TRUE(run.err.starts_with("koya mirror fetch: ADDRESS: ")) << run.err;
  }
  EXPECT_EQ(Fetch({"--config", "/nonexistent"}).status, 1);
  for (std::vector<std::string> arguments : {std::vector<std::string>{},
                                             {"acme/demo", "--jobs", "0"},
                                             {"acme/demo", "--platform", "linux"},
                                             {"acme/demo", "--default-host", "xn--a"},
                                             {"--lock"}}) {
    EXPECT_EQ(Fetch(arguments).status, 2);
  }
  EXPECT_TRUE(server_.asked().empty());
}

}  // namespace
}  // namespace koya::cli
