#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace
}  // namespace koya::cli
