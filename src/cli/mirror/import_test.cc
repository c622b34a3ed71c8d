#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/api/local_file.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"
#include "wire/inventory.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

// A folder of modules, and a server that takes them; the test sets its contents and its failures.
class MirrorImportTest : public testing::Test {
 protected:
  std::filesystem::path AddModule(const std::string& name) {
    std::filesystem::path file =
        folder_ / "from/_modules/registry.test/Acme" / name / "aws/1.0.0.tar.gz";
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << "bytes of " << name;
    return file;
  }

  // `digest`: of the bytes that the server holds.
  void Hold(const std::string& name, const std::string& digest) {
    held_.modules.push_back({.hostname = "registry.test",
                             .ns = "acme",
                             .name = name,
                             .system = "aws",
                             .version = "1.0.0",
                             .kind = "tar.gz",
                             .digest = digest,
                             .size = std::string("bytes of ").size() + name.size(),
                             .source = "",
                             .held = true,
                             .seen = "",
                             .used = ""});
  }

  // Runs with the settings made so far.
  ProgramRun Import() {
    std::filesystem::create_directories(folder_ / "from");
    ScriptedServer server([this](const ScriptedRequest& request) { return Respond(request); });
    ProgramRun run = RunKoya({"mirror", "import", (folder_ / "from").string(), "--jobs", "1"},
                             {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "t"}});
    for (const ScriptedRequest& each : server.requests()) {
      if (each.method == "PUT") sent_.push_back(each.target);
    }
    return run;
  }

  static std::string Target(const std::string& name) {
    return "/api/v1/mirror/modules/registry.test/Acme/" + name + "/aws/1.0.0?source=";
  }

  TempFolder folder_;
  wire::InventoryModules held_;
  std::map<std::string, ScriptedAnswer> answers_;  // by target
  std::vector<std::string> sent_;

 private:
  ScriptedAnswer Respond(const ScriptedRequest& request) const {
    auto scripted = answers_.find(request.target);
    if (scripted != answers_.end()) return scripted->second;
    if (request.method == "PUT") return ScriptedAnswer::Json(201, "{}");
    if (request.target.starts_with("/api/v1/mirror/modules?")) {
      return ScriptedAnswer::Json(200, wire::Encode(held_));
    }
    if (request.target.starts_with("/api/v1/mirror/providers?")) {
      return ScriptedAnswer::Json(200, wire::Encode<wire::InventoryReleases>({}));
    }
    return ScriptedAnswer::Json(200, "[]");
  }
};

TEST_F(MirrorImportTest, AnAdministratorOfSomeNamespacesIsToldBeforeAnythingIsSent) {
  AddModule("vpc");
  answers_["/api/v1/verify?of=mirror"] =
      ScriptedAnswer::Json(403, PlainErrors("rights to all namespaces are missing"));
  ProgramRun run = Import();
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.starts_with("koya: rights to all namespaces are missing\n")) << run.err;
  EXPECT_TRUE(sent_.empty());
}

TEST_F(MirrorImportTest, ModulesThatAreThereAlreadyAreNotSentAgain) {
  Hold("vpc", *FileDigest(AddModule("vpc")));
  Hold("dns", *FileDigest(AddModule("dns")));
  std::ofstream(AddModule("dns"), std::ios::binary) << "BYTES OF dns";
  AddModule("new");
  ProgramRun run = Import();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(sent_, (std::vector<std::string>{Target("dns"), Target("new")}));
  EXPECT_TRUE(run.out.find(", 1 already there, 0 rejected") != std::string::npos) << run.out;
}

TEST_F(MirrorImportTest, ARunThatEndsEarlySaysWhatWasRefusedUntilThen) {
  for (const char* name : {"a", "b", "c", "d"}) AddModule(name);
  answers_[Target("b")] = ScriptedAnswer::Json(422, PlainErrors("b is no module"));
  answers_[Target("c")] = ScriptedAnswer::Json(507, PlainErrors("the disk is full"));
  ProgramRun run = Import();
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(sent_.size(), 3U);
  for (std::string_view words : {"Acme/b/aws/1.0.0.tar.gz: b is no module", "koya: Imported 1 (",
                                 "0 already there, 1 rejected\n", "koya: the disk is full"}) {
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  }
}

TEST_F(MirrorImportTest, OneThingThatTheServerCannotTakeIsNotTheEndOfTheRun) {
  for (const char* name : {"a", "b"}) AddModule(name);
  answers_[Target("a")] = ScriptedAnswer::Json(500, PlainErrors("its record is broken"));
  EXPECT_EQ(Import().status, 1);
  EXPECT_EQ(sent_.size(), 2U);
}

class MirrorListTest : public MirrorImportTest {
 protected:
  // Output of `koya mirror list` and `more` about held artifacts.
  std::string Note(std::vector<std::string> more) const {
    ScriptedServer server([held = held_](const ScriptedRequest& request) {
      bool modules = request.target.starts_with("/api/v1/mirror/modules?");
      return ScriptedAnswer::Json(
          200, modules ? wire::Encode(held) : wire::Encode<wire::InventoryReleases>({}));
    });
    more.insert(more.begin(), {"mirror", "list"});
    return RunKoya(std::move(more), {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "t"}}).err;
  }
};

TEST_F(MirrorListTest, DoesNotSayThatNothingIsMirroredWhenNothingMatches) {
  EXPECT_EQ(Note({}), "koya: nothing is mirrored\n");
  Hold("vpc", "sha256:" + std::string(64, 'a'));
  EXPECT_EQ(Note({}), "");
  EXPECT_EQ(Note({"--module", "no/such/aws"}), "koya: no mirrored package matches\n");
}

}  // namespace
}  // namespace koya::cli
