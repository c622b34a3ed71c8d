// "koya publish provider" against a registry of the test.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/draft_registry_fake.h"
#include "cli/run_program_fake.h"
#include "cli/text/upload_progress.h"
#include "cli/text/usage_block.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using Files = std::map<std::string, std::string>;

std::string Demo(std::string_view rest) {
  return "terraform-provider-demo_1.2.0_" + std::string(rest);
}

Files Release() {
  return {{Demo("SHA256SUMS"), "sums"},
          {Demo("SHA256SUMS.sig"), "signature"},
          {Demo("darwin_arm64.zip"), "mac"},
          {Demo("linux_amd64.zip"), "linux"},
          {Demo("manifest.json"), "manifest"}};
}

// The files that are sent when the server signs.
Files Unsigned() {
  Files files = Release();
  files.erase(Demo("SHA256SUMS"));
  files.erase(Demo("SHA256SUMS.sig"));
  return files;
}

class PublishProviderTest : public testing::Test {
 protected:
  // With these and no others.
  void Fill(const Files& files) {
    for (const auto& entry : std::filesystem::directory_iterator(dist_.path())) {
      std::filesystem::remove(entry.path());
    }
    for (const auto& [name, content] : files) {
      std::ofstream(dist_ / name, std::ios::binary) << content;
    }
  }

  ProgramRun Publish(const DraftRegistry& registry, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"publish", "provider", dist_.path(), "acme/demo"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunKoya(arguments, {{"KOYA_URL", registry.url()}, {"KOYA_TOKEN", "koya_secret"}});
  }

  // What the draft is opened for that takes the files of the folder.
  std::string UploadOf() {
    DraftRegistry registry;
    Publish(registry);
    return registry.upload();
  }

  TempFolder dist_;
};

bool Mentions(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

TEST_F(PublishProviderTest, SendsAllFilesAndCommits) {
  DraftRegistry registry;
  Fill(Release());
  ProgramRun run = Publish(registry, {"--protocols", "6.0,5.0", "--jobs", "3"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(registry.published(), Release());
  EXPECT_EQ(run.out.substr(0, run.out.find("\n\nUse it:")),
            "Published acme/demo 1.2.0\n"
            "  protocols   6.0\n"
            "  platforms   darwin_arm64, linux_amd64\n"
            "  signed by   0123456789ABCDEF0123456789ABCDEF01234567\n"
            "  SHA256SUMS  " +
                Digest::Of("sums").ToString());
  EXPECT_TRUE(Mentions(run.out,
                       "    demo = {\n      source  = \"registry.example.com/acme/demo\"\n"
                       "      version = \"1.2.0\"\n    }\n"))
      << run.out;
  std::vector<ScriptedRequest> seen = registry.requests();
  EXPECT_EQ(registry.calls().front(), "GET /v1/providers/acme/demo/1.2.0");
  EXPECT_EQ(registry.calls().back(), "POST commit");
  auto commit = wire::Decode<wire::CommitRequest>(seen.back().body);
  ASSERT_TRUE(commit);
  EXPECT_FALSE(commit->sign);
  EXPECT_EQ(commit->protocols, (std::vector<std::string>{"5.0", "6.0"}));
  for (ScriptedRequest& request : seen) {
    EXPECT_EQ(request.fields["authorization"], "Bearer koya_secret") << request.target;
  }
}

wire::Comparison Compared(bool agrees) {
  return {.from = "1.1.0",
          .to = "1.2.0",
          .verdict = agrees ? "minor" : "major",
          .given = "minor",
          .agrees = agrees,
          .wanted = agrees ? "" : "2.0.0",
          .text = agrees ? "1.2.0 agrees with what changed."
                         : "1.2.0 should be 2.0.0 at least: users have to change something.",
          .changes = {{.section = "platforms",
                       .kind = "removed",
                       .what = "platform windows_386",
                       .where = "",
                       .severity = agrees ? "safe" : "breaking",
                       .text = "It is gone."}}};
}

TEST_F(PublishProviderTest, SaysWhetherTheNumberAgrees) {
  Fill(Release());
  DraftRegistry good;
  good.comparison = Compared(true);
  ProgramRun run = Publish(good);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(Mentions(run.out, "\n\n1.2.0 agrees with what changed.\n\nUse it:")) << run.out;

  DraftRegistry bad;
  bad.comparison = Compared(false);
  run = Publish(bad);
  EXPECT_EQ(run.status, 0) << "providers are never refused: " << run.err;
  EXPECT_TRUE(run.out.starts_with("Published acme/demo 1.2.0")) << run.out;
  EXPECT_TRUE(Mentions(run.err, "koya: warning: 1.2.0 should be 2.0.0 at least")) << run.err;
  EXPECT_TRUE(Mentions(run.err, "\"koya diff acme/demo 1.1.0 1.2.0\" shows what changed"))
      << run.err;
}

TEST_F(PublishProviderTest, ADryRunPublishesNothingAndGivesItsDraftUp) {
  DraftRegistry registry;
  registry.comparison = Compared(false);
  Fill(Release());
  ProgramRun run = Publish(registry, {"--dry-run"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with(
      "Can be published: acme/demo 1.2.0 (dry run: nothing was published)\n  protocols   6.0\n"))
      << run.out;
  EXPECT_TRUE(Mentions(run.out,
                       "\n\n1.2.0 should be 2.0.0 at least: users have to change something.\nSince "
                       "1.1.0: 1 breaking\n"))
      << run.out;
  EXPECT_FALSE(Mentions(run.out, "Use it")) << run.out;
  EXPECT_EQ(registry.published(), Files());
  EXPECT_EQ(registry.Count("PUT "), 5u);
  EXPECT_EQ(registry.Count("POST check"), 1u);
  EXPECT_EQ(registry.Count("POST commit"), 0u);
  EXPECT_EQ(registry.calls().back(), "DELETE /api/v1/providers/acme/demo/1.2.0/drafts/d1");
  EXPECT_EQ(registry.Count("GET /api/v1/providers/acme/demo/1.2.0/drafts"), 0u)
      << "no other draft is looked for";
  run = Publish(registry, {"--dry-run", "--json"});
  auto document = wire::Decode<wire::PublishedProvider>(run.out);
  ASSERT_TRUE(document) << run.out << run.err;
  EXPECT_TRUE(document->dry_run);
}

struct FailedDryRun {
  unsigned status;
  std::string body;
  std::string_view words;
};

TEST_F(PublishProviderTest, ADryRunThatFailsGivesItsDraftUpToo) {
  const FailedDryRun kRows[] = {
      {422, R"({"errors":["one is wrong"]})",
       "acme/demo 1.2.0 would be rejected, for this reason:\n  - one is wrong\n"},
      {404, R"({"errors":["no such path"]})", "too old for dry runs"},
      {409, R"({"errors":["1.2.0 was withdrawn"]})", "1.2.0 was withdrawn"},
      {503, R"({"errors":["come back later"]})", "come back later"}};
  Fill(Release());
  for (const FailedDryRun& each : kRows) {
    DraftRegistry registry([&](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
      if (!request.target.ends_with("/check")) return std::nullopt;
      return ScriptedAnswer::Json(each.status, each.body);
    });
    ProgramRun run = Publish(registry, {"--dry-run"});
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(Mentions(run.err, each.words)) << run.err;
    EXPECT_FALSE(Mentions(run.err, "to do: fix this and run")) << run.err;
    EXPECT_EQ(registry.calls().back(), "DELETE /api/v1/providers/acme/demo/1.2.0/drafts/d1");
    EXPECT_EQ(registry.published(), Files());
  }
}

TEST_F(PublishProviderTest, ADryRunOfWhatIsPublishedSendsNothing) {
  DraftRegistry registry;
  registry.HoldDraft(Release());
  registry.Publish();
  Fill(Release());
  ProgramRun run = Publish(registry, {"--dry-run"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("Already published, unchanged: acme/demo 1.2.0\n")) << run.out;
  EXPECT_EQ(registry.Count("PUT"), 0u);
  EXPECT_EQ(registry.Count("POST /api/v1/providers/acme/demo/1.2.0/drafts"), 0u);
}

TEST_F(PublishProviderTest, LetsTheServerSign) {
  DraftRegistry registry;
  Fill(Release());
  ProgramRun run = Publish(registry, {"1.2.0", "--sign", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(Mentions(run.err, "--sign: the server creates its own")) << run.err;
  EXPECT_EQ(registry.Count("PUT "), 3u);
  EXPECT_EQ(registry.Count("PUT files/" + Demo("SHA256SUMS")), 0u);
  auto commit = wire::Decode<wire::CommitRequest>(registry.requests().back().body);
  ASSERT_TRUE(commit);
  EXPECT_TRUE(commit->sign);
  EXPECT_TRUE(commit->protocols.empty());
  // Nothing but the document.
  EXPECT_EQ(run.out, wire::Encode(DraftRegistry::Published(registry.published())) + "\n");
}

TEST_F(PublishProviderTest, SaysThatItIsPublishedAndSendsNothing) {
  for (bool sign : {false, true}) {
    DraftRegistry registry;
    Files files = sign ? Unsigned() : Release();
    registry.HoldDraft(files);
    registry.Publish();
    Fill(files);
    std::vector<std::string> more;
    if (sign) more.push_back("--sign");
    ProgramRun run = Publish(registry, more);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.out.starts_with("Already published, unchanged: acme/demo 1.2.0\n")) << run.out;
    // It asks whether the server still has the bytes, and opens no draft.
    for (const std::string& call : registry.calls()) {
      EXPECT_TRUE(!call.starts_with("POST") || call.ends_with("/verify")) << call;
    }
    EXPECT_EQ(registry.Count("PUT"), 0u);
    more.push_back("--json");
    run = Publish(registry, more);
    EXPECT_EQ(run.out, wire::Encode(DraftRegistry::Published(files)) + "\n");
  }
}

TEST_F(PublishProviderTest, SendsAgainWhatIsPublishedButDamagedOnTheServer) {
  for (std::string_view damaged : {"/1.2.0/verify", "/linux/amd64/verify", "/1.2.0/docs/verify"}) {
    DraftRegistry registry(
        [damaged](const http::ScriptedRequest& request) -> std::optional<http::ScriptedAnswer> {
          if (!request.target.ends_with("/verify")) return std::nullopt;
          bool harmed = request.target.ends_with(damaged);
          return http::ScriptedAnswer::Json(
              200, harmed ? R"({"state":"missing"})" : R"({"state":"ok"})");
        });
    Files files = Release();
    if (damaged.contains("docs")) files[Demo("docs.zip")] = "docs";
    registry.HoldDraft(files);
    registry.Publish();
    Fill(files);
    ProgramRun run = Publish(registry);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(Mentions(run.err, "damaged on the server")) << run.err;
    EXPECT_EQ(registry.Count("PUT"), files.size());
    EXPECT_EQ(registry.Count("POST commit"), 1u);
  }
}

TEST_F(PublishProviderTest, RefusesOtherFilesUnderAPublishedVersionBeforeItSendsAny) {
  for (bool sign : {false, true}) {
    DraftRegistry registry;
    registry.HoldDraft(Release());
    registry.Publish();
    Files files = Release();
    files[Demo("SHA256SUMS")] = "other sums";
    files[Demo("linux_amd64.zip")] = "other bytes";
    Fill(files);
    ProgramRun run = sign ? Publish(registry, {"--sign"}) : Publish(registry);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(Mentions(run.err, "acme/demo 1.2.0 is already published with other files"))
        << run.err;
    EXPECT_EQ(registry.Count("PUT"), 0u);
  }
}

// It was "unchanged" when the packages were the same, whatever else SHA256SUMS names.
TEST_F(PublishProviderTest, SignedByTheServerWhatHasOtherSumsIsAnotherRelease) {
  std::vector<Files> others(3, Unsigned());
  others[0].erase(Demo("linux_amd64.zip"));
  others[1][Demo("manifest.json")] = "another manifest";
  others[2].erase(Demo("manifest.json"));
  for (const Files& published : others) {
    DraftRegistry registry;
    registry.HoldDraft(published);
    registry.Publish();
    Fill(Unsigned());
    ProgramRun run = Publish(registry, {"--sign"});
    EXPECT_EQ(run.status, 1) << run.out;
    EXPECT_TRUE(Mentions(run.err, "is already published with other files")) << run.err;
    Fill(published);
    EXPECT_EQ(Publish(registry, {"--sign"}).status, 0);
    EXPECT_EQ(registry.Count("PUT"), 0u);
  }
}

TEST_F(PublishProviderTest, GoesOnWithADraftOfTheSameFilesAndSendsWhatIsMissing) {
  DraftRegistry registry;
  Fill(Release());
  Files half = Release();
  half.erase(Demo("linux_amd64.zip"));
  half[Demo("SHA256SUMS.sig")] = "SIGNATURE";  // arrived spoiled, and of the same length
  registry.HoldDraft(half, UploadOf());
  ProgramRun run = Publish(registry);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(Mentions(run.err, "resuming the draft of 2026-11-21T16:41:10Z")) << run.err;
  EXPECT_TRUE(Mentions(run.err, "3 of 5 files were already uploaded")) << run.err;
  EXPECT_EQ(registry.Count("PUT "), 2u);
  EXPECT_EQ(registry.Count("PUT files/" + Demo("linux_amd64.zip")), 1u);
  EXPECT_EQ(registry.Count("PUT files/" + Demo("SHA256SUMS.sig")), 1u);
  EXPECT_EQ(registry.published(), Release());
}

// Another run may be filling it at this moment.
TEST_F(PublishProviderTest, LeavesDraftsOfOtherFilesAlone) {
  Fill(Release());
  const std::string upload = UploadOf();
  std::vector<Files> others(5, Release());
  others[0][Demo("windows_386.zip")] = "win";
  others[1][Demo("SHA256SUMS")] = "other sums";
  others[2][Demo("manifest.json")] += " ";
  others[3].erase(Demo("manifest.json"));
  others[4][Demo("linux_amd64.zip")] = "LINUX";  // spoiled: not what SHA256SUMS says
  for (const Files& other : others) {
    DraftRegistry registry;
    Fill(other);
    registry.HoldDraft(other, UploadOf());
    EXPECT_NE(registry.upload(), upload);
    Fill(Release());
    ProgramRun run = Publish(registry);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(registry.Count("DELETE"), 0u);
    EXPECT_EQ(registry.Count("POST /api/v1/providers/acme/demo/1.2.0/drafts"), 1u);
    EXPECT_EQ(registry.upload(), upload);
    EXPECT_EQ(registry.Count("PUT "), 5u);
    EXPECT_EQ(registry.published(), Release());
  }
}

TEST_F(PublishProviderTest, NeverCallsWhatOthersPublishedItsOwn) {
  for (bool sign : {false, true}) {
    for (bool created : {false, true}) {
      wire::PublishedProvider other = DraftRegistry::Published(
          {{Demo("SHA256SUMS"), "other sums"}, {Demo("linux_amd64.zip"), "other"}});
      DraftRegistry registry([&](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
        if (!request.target.ends_with("/commit")) return std::nullopt;
        return ScriptedAnswer::Json(created ? 201 : 200, wire::Encode(other));
      });
      Fill(Release());
      ProgramRun run = sign ? Publish(registry, {"--sign"}) : Publish(registry);
      EXPECT_EQ(run.status, 1) << run.out;
      EXPECT_EQ(run.out, "");
      EXPECT_TRUE(Mentions(run.err, "is already published with other files")) << run.err;
    }
  }
}

// Two runs that send the same files share a draft, and one of them commits it.
TEST_F(PublishProviderTest, WhatAnotherRunCommittedOfTheSameFilesIsPublishedUnchanged) {
  for (const std::string& step : {"/files/" + Demo("linux_amd64.zip"), std::string("/commit")}) {
    for (bool same : {true, false}) {
      DraftRegistry* self = nullptr;
      DraftRegistry registry([&](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
        if (!request.target.ends_with(step)) return std::nullopt;
        Files committed = Release();
        if (!same) committed[Demo("SHA256SUMS")] = "other sums";
        self->HoldDraft(committed);
        self->Publish();
        return std::nullopt;
      });
      self = &registry;
      Fill(Release());
      ProgramRun run = Publish(registry);
      EXPECT_EQ(run.status, same ? 0 : 1) << run.err;
      EXPECT_EQ(run.out.starts_with("Already published, unchanged: acme/demo 1.2.0\n"), same)
          << run.out;
      EXPECT_EQ(Mentions(run.err, "already published with other files"), !same) << run.err;
    }
  }
}

TEST_F(PublishProviderTest, OpensADraftWhenTheOldOneHasJustExpired) {
  DraftRegistry registry([](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
    if (request.method != "GET" || !request.target.ends_with("/drafts/d1")) return std::nullopt;
    return ScriptedAnswer::Json(404, PlainErrors("gone"));
  });
  Fill(Release());
  registry.HoldDraft({}, UploadOf());
  ProgramRun run = Publish(registry);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(registry.Count("POST /api/v1/providers/acme/demo/1.2.0/drafts"), 1u);
}

TEST_F(PublishProviderTest, PrintsEveryProblemOfACommitAsALine) {
  DraftRegistry registry([](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
    if (!request.target.ends_with("/commit")) return std::nullopt;
    return ScriptedAnswer::Json(422, R"({"errors":["one is wrong","two: \u001b[31mred"]})");
  });
  Fill(Release());
  ProgramRun run = Publish(registry);
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(Mentions(run.err,
                       "acme/demo 1.2.0 was not published, for these 2 reasons:\n"
                       "  - one is wrong\n  - two: \\x1b[31mred\n  to do: "))
      << run.err;
  // Again, with the draft there: only the commit.
  run = Publish(registry, {"--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out,
            R"({"errors":["one is wrong","two: \\x1b[31mred"],"code":"refused","status":422})"
            "\n");
  EXPECT_EQ(registry.Count("PUT "), 5u);
}

TEST_F(PublishProviderTest, StopsAtTheFirstFailureAndSaysHowToGoOn) {
  DraftRegistry registry([](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
    if (!request.target.ends_with("linux_amd64.zip")) return std::nullopt;
    return ScriptedAnswer::Json(507, PlainErrors("the disk is full"));
  });
  Files files = Release();
  files[Demo("linux_amd64.zip")] = "the longest, and so the first";
  Fill(files);
  ProgramRun run = Publish(registry, {"--jobs", "1", "--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.out.starts_with("{\"errors\":[\"the disk is full")) << run.out;
  EXPECT_TRUE(Mentions(run.err, "koya: the disk is full")) << run.err;
  EXPECT_TRUE(Mentions(run.err, "run the same command again")) << run.err;
  EXPECT_TRUE(Mentions(run.err, "are kept until 2026-11-22T16:41:10Z")) << run.err;
  EXPECT_EQ(registry.Count("PUT "), 1u);
  EXPECT_EQ(registry.Count("POST commit"), 0u);
  EXPECT_EQ(registry.Count("DELETE"), 0u);
}

TEST_F(PublishProviderTest, CommitsOnceMoreWhenTheAnswerWasLost) {
  std::atomic<int> commits = 0;
  DraftRegistry registry([&](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
    if (!request.target.ends_with("/commit") || commits++ > 0) return std::nullopt;
    return ScriptedAnswer{0, {}, "", "HTTP/1.1 "};
  });
  Fill(Release());
  ProgramRun run = Publish(registry);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(Mentions(run.err, "retrying")) << run.err;
  EXPECT_TRUE(run.out.starts_with("Published acme/demo 1.2.0")) << run.out;
  EXPECT_EQ(commits, 2);
}

TEST_F(PublishProviderTest, FindsTheReleaseWhenOnlyTheAnswerWasLost) {
  std::atomic<int> commits = 0;
  DraftRegistry* self = nullptr;
  DraftRegistry registry([&](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
    if (!request.target.ends_with("/commit") || commits++ > 0) return std::nullopt;
    self->Publish();
    return ScriptedAnswer{0, {}, "", "HTTP/1.1 "};
  });
  self = &registry;
  Fill(Release());
  ProgramRun run = Publish(registry, {"--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, wire::Encode(DraftRegistry::Published(Release())) + "\n");
  EXPECT_EQ(commits, 2);
}

TEST_F(PublishProviderTest, GivesUpWhenTheCommitIsNeverAnswered) {
  std::atomic<int> commits = 0;
  DraftRegistry registry([&](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
    if (!request.target.ends_with("/commit")) return std::nullopt;
    ++commits;
    return ScriptedAnswer{503, {}, "", {}};
  });
  Fill(Release());
  ProgramRun run = Publish(registry);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(Mentions(run.err, "all files are uploaded; run the same command again later"))
      << run.err;
  EXPECT_EQ(commits, 2);
}

TEST_F(PublishProviderTest, ReportsAConflictAsTheServerWordsIt) {
  DraftRegistry registry([](const ScriptedRequest& request) -> std::optional<ScriptedAnswer> {
    if (request.method != "POST") return std::nullopt;
    return ScriptedAnswer::Json(409, PlainErrors("1.2.0 was withdrawn; use a higher version"));
  });
  Fill(Release());
  ProgramRun run = Publish(registry);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(Mentions(run.err, "1.2.0 was withdrawn")) << run.err;
  EXPECT_FALSE(Mentions(run.err, "http://")) << run.err;
  EXPECT_EQ(registry.Count("PUT"), 0u);
}

struct LocalRefusal {
  std::vector<std::string> more;
  std::string_view words;
};

TEST_F(PublishProviderTest, RefusesBeforeItCallsAnybody) {
  DraftRegistry registry;
  Fill({{Demo("linux_amd64.zip"), "linux"}, {Demo("SHA256SUMS"), "sums"}});
  const std::vector<LocalRefusal> kRefusals = {
      {{}, "is not signed"},
      {{"2.0.0"}, "terraform-provider-demo_2.0.0_OS_ARCH.zip"},
  };
  for (const LocalRefusal& each : kRefusals) {
    ProgramRun run = Publish(registry, each.more);
    EXPECT_EQ(run.status, 1) << each.words;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(Mentions(run.err, each.words)) << run.err;
  }
  ProgramRun run = Publish(registry, {"v1.2.0"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(Mentions(run.err, "write 1.2.0")) << run.err;
  EXPECT_TRUE(registry.requests().empty());
}

TEST_F(PublishProviderTest, SpeaksOfNamesInAnyScriptByTheirEncodedPath) {
  http::ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer::Json(404, PlainErrors("there is no such provider"));
  });
  Fill({{"terraform-provider-デモ_1.0.0_linux_amd64.zip", "linux"}});
  ProgramRun run = RunKoya({"publish", "provider", dist_.path(), "Äcme/デモ", "--sign"},
                           {{"KOYA_URL", server.url()}});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(server.requests().at(0).target, "/v1/providers/%C3%A4cme/%E3%83%87%E3%83%A2/1.0.0");
  EXPECT_EQ(server.requests().at(1).target,
            "/api/v1/providers/%C3%A4cme/%E3%83%87%E3%83%A2/1.0.0/drafts");
}

TEST(ProviderBlockTest, WritesNamesThatTheClientsTake) {
  auto address = ProviderAddress::Parse("acme/3cloud");
  EXPECT_TRUE(
      Mentions(ProviderBlock("localhost:8443", *address, "1.0.0"),
               "    provider-3cloud = {\n      source  = \"localhost:8443/acme/3cloud\"\n"));
  auto server = http::ParseUrl("https://127.0.0.1:8443");
  EXPECT_EQ(ProviderHost("registry.test:1/acme/demo", *server), "registry.test:1");
  EXPECT_EQ(ProviderHost("", *server), "127.0.0.1:8443");
  EXPECT_EQ(ProviderHost("https://github.test/acme/demo", *server), "127.0.0.1:8443");
}

TEST(UploadProgressTest, LeavesNoTraceOfShortUploads) {
  std::ostringstream stream;
  {
    UploadProgress progress(stream, 10, true);
    progress.Begin(1, "linux_amd64");
    progress.Begin(0, "darwin_arm64");
    progress.Show(1, 5);
    progress.Finish(1, 5);
    progress.Finish(0, 5);
  }
  EXPECT_EQ(stream.str(), "");
}

}  // namespace
}  // namespace koya::cli
