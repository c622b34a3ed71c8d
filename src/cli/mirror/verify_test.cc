#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"
#include "wire/verify.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

ScriptedAnswer Found(const wire::CheckOutcome& outcome) {
  return ScriptedAnswer::Json(200, wire::Encode(outcome));
}

// Keeps three modules, a, b and c, on one page; the test says what a check of each finds.
class ArtifactList {
 public:
  ArtifactList(ScriptedAnswer a, ScriptedAnswer b, ScriptedAnswer c)
      : checks_({std::move(a), std::move(b), std::move(c)}),
        server_([this](const ScriptedRequest& request) { return Respond(request); }) {}

  ProgramRun Verify(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"verify", "--jobs", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunKoya(std::move(arguments), {{"KOYA_URL", server_.url()}, {"KOYA_TOKEN", "t"}});
  }
  // How many things a check was asked of.
  std::size_t checked() const {
    std::size_t count = 0;
    for (const ScriptedRequest& each : server_.requests()) {
      count += each.method == "POST" ? 1 : 0;
    }
    return count;
  }

 private:
  static constexpr std::string_view kNames = "abc";

  ScriptedAnswer Respond(const ScriptedRequest& request) const {
    if (request.method == "GET") {
      wire::StoredArtifacts page;
      for (char name : kNames) {
        page.things.push_back({.kind = "module",
                               .hostname = "registry.test",
                               .address = std::string("acme/") + name + "/aws",
                               .version = "1.0.0",
                               .platform = "",
                               .size = 5});
      }
      return ScriptedAnswer::Json(200, wire::Encode(page));
    }
    std::string_view path = request.target;
    path.remove_prefix(std::string_view("/api/v1/mirror/modules/registry.test/acme/").size());
    return checks_[kNames.find(path.front())];
  }

  std::vector<ScriptedAnswer> checks_;
  ScriptedServer server_;
};

const ScriptedAnswer& Whole() {
  static const auto* answer = new ScriptedAnswer(Found({.state = "ok"}));
  return *answer;
}
const ScriptedAnswer& Damaged() {
  static const auto* answer = new ScriptedAnswer(Found({.state = "damaged"}));
  return *answer;
}

bool Says(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

// By then the server has removed the damaged bytes: a run that goes on does not meet them again.
TEST(VerifyCommandTest, ACheckThatFailsLosesNoneOfTheOthersFindings) {
  ArtifactList kept(Damaged(), ScriptedAnswer::Json(503, PlainErrors("too busy")), Whole());
  ProgramRun run = kept.Verify();
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "registry.test/acme/a/aws 1.0.0: damaged\n");
  EXPECT_TRUE(Says(run.err, "too busy")) << run.err;
  EXPECT_EQ(kept.checked(), 2U);
  run = kept.Verify({"--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(Says(run.err, "koya: registry.test/acme/a/aws 1.0.0: damaged\n")) << run.err;
}

TEST(VerifyCommandTest, AThingThatCannotBeCheckedDoesNotEndTheRunForEver) {
  ScriptedAnswer broken = ScriptedAnswer::Json(500, PlainErrors("its record is broken"));
  ArtifactList kept(broken, Whole(), Damaged());
  ProgramRun run = kept.Verify();
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(kept.checked(), 3U);
  EXPECT_TRUE(Says(run.out,
                   "registry.test/acme/a/aws 1.0.0: damaged, not repaired: it could not be "
                   "checked: its record is broken"))
      << run.out;
  EXPECT_TRUE(Says(run.out, "Checked 3: 2 damaged or missing, 0 repaired")) << run.out;
  EXPECT_EQ(run.err, "");
}

TEST(VerifyCommandTest, GoesOnAfterWhatIsWithdrawnMeanwhile) {
  ArtifactList kept(ScriptedAnswer::Json(404, PlainErrors("withdrawn")), Whole(), Whole());
  ProgramRun run = kept.Verify();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "Checked 3: 0 damaged or missing, 0 repaired\n");
}

TEST(VerifyCommandTest, StopsAtWhatIsWrongWithEveryCheck) {
  const ScriptedAnswer kNothing{.raw = "HTTP/1.1 "};
  for (const ScriptedAnswer& each :
       {ScriptedAnswer{.status = 401}, ScriptedAnswer{.status = 403}, ScriptedAnswer{.status = 408},
        ScriptedAnswer{.status = 503}, ScriptedAnswer{.status = 502}, kNothing}) {
    ArtifactList kept(each, Whole(), Whole());
    ProgramRun run = kept.Verify();
    EXPECT_EQ(run.status, 1) << each.status;
    EXPECT_EQ(run.out, "") << each.status;
    EXPECT_EQ(kept.checked(), 1U) << each.status;
  }
}

// Lacks the two packages of a release until a client asks for them.
class LockServer {
 public:
  explicit LockServer(bool has_release = true)
      : has_release_(has_release),
        server_([this](const ScriptedRequest& request) { return Respond(request); }) {}

  ProgramRun Verify(std::vector<std::string> more = {}) const {
    const TempFolder folder;
    std::ofstream(folder / "lock.hcl") << "# as the answer says\n";
    std::vector<std::string> arguments = {"verify", "--lock", folder / "lock.hcl"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunKoya(std::move(arguments), {{"KOYA_URL", server_.url()}, {"KOYA_TOKEN", "t"}});
  }
  int fetched() const { return fetched_; }

 private:
  ScriptedAnswer Respond(const ScriptedRequest& request) {
    if (request.method == "POST") return ScriptedAnswer::Json(200, wire::Encode(Report()));
    if (!has_release_) return ScriptedAnswer::Json(404, PlainErrors("no such release"));
    if (request.target.ends_with("/1.0.0.json")) {
      return ScriptedAnswer::Json(
          200, R"({"archives":{"linux_amd64":{"url":"a.zip"},"darwin_arm64":{"url":"b.zip"}}})");
    }
    ++fetched_;
    return {.status = 206, .body = "x"};
  }
  wire::LockReport Report() const {
    const bool known = fetched_ == 2;
    wire::LockReport report;
    report.items = {
        {.address = "registry.test/acme/demo",
         .version = "1.0.0",
         .seen = "2026-11-20T10:00:00Z",
         .from = "registry.test",
         .verdict = "allow",
         .hashes = {{.hash = "h1:a=", .known = known, .state = known ? "known" : "unchecked"},
                    {.hash = "x9:b", .state = "unchecked"}}},
        {.address = "registry.test/acme/whole",
         .version = "2.0.0",
         .seen = "2026-11-20T10:00:00Z",
         .from = "registry.test",
         .verdict = "allow",
         .hashes = {{.hash = "h1:c=", .known = true, .state = "known"}}},
        {.address = "own.test/acme/own",
         .version = "1.0.0",
         .seen = "2026-11-20T10:00:00Z",
         .from = "published",
         .verdict = "allow",
         .hashes = {{.hash = "h1:d=", .state = "differs"}}}};
    return report;
  }

  const bool has_release_;
  std::atomic<int> fetched_ = 0;
  ScriptedServer server_;
};

TEST(VerifyLockCommandTest, WithFetchTheServerFetchesWhatItCouldNotCheck) {
  LockServer server;
  ProgramRun run = server.Verify();
  EXPECT_EQ(run.status, 1) << "one hash differs";
  EXPECT_TRUE(Says(run.out, "registry.test/acme/demo 1.0.0: 0 of 2 hashes known")) << run.out;
  EXPECT_EQ(server.fetched(), 0);
  for (int i = 0; i < 2; ++i) {
    run = server.Verify({"--fetch"});
    EXPECT_TRUE(Says(run.out, "registry.test/acme/demo 1.0.0: 1 of 2 hashes known")) << run.out;
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(server.fetched(), 2) << "both platforms, once";
  }
}

TEST(VerifyLockCommandTest, AFailedFetchIsReportedAndTheRestIsVerified) {
  LockServer server(false);
  const ProgramRun run = server.Verify({"--fetch"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(Says(run.err, "koya: registry.test/acme/demo 1.0.0: ")) << run.err;
  EXPECT_TRUE(Says(run.out, "registry.test/acme/whole 2.0.0: 1 of 1 hashes known")) << run.out;
  EXPECT_EQ(RunKoya({"verify", "--fetch"}, {}).status, 2) << "of no lock file";
}

}  // namespace
}  // namespace koya::cli
