// Requests and responses of "koya verify".
#include "wire/verify.h"

#include <gtest/gtest.h>

namespace koya::wire {
namespace {

StoredArtifact KeptPackage() {
  return {.kind = "package",
          .hostname = "xn--mnchen-3ya.example",
          .address = "acme/demo",
          .version = "1.0.0+b",
          .platform = "linux_amd64",
          .size = 5'000'000'000};
}

StoredArtifact KeptModule() {
  return {.kind = "module",
          .hostname = "",
          .address = "Acme/vpc/aws",
          .version = "1.0.0",
          .platform = "",
          .size = 0};
}

TEST(VerifyWire, ThingsComeBackAsTheyWere) {
  auto page = DecodeArtifactList(
      EncodeArtifactList({{KeptPackage(), KeptModule()}, "providers/acme/demo"}));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->things, (std::vector{KeptPackage(), KeptModule()}));
  EXPECT_EQ(page->next, "providers/acme/demo");
  EXPECT_EQ(DecodeArtifactList(R"({"things":[],"next":null})")->next, "");
}

TEST(VerifyWire, ThingsHaveNamesForPeople) {
  EXPECT_EQ(KeptPackage().Name(), "münchen.example/acme/demo 1.0.0+b linux_amd64");
  EXPECT_EQ(KeptModule().Name(), "Acme/vpc/aws 1.0.0");
  StoredArtifact documents = KeptPackage();
  documents.kind = "documents";
  documents.platform = "";
  EXPECT_EQ(documents.Name(), "münchen.example/acme/demo 1.0.0+b SHA256SUMS");
}

TEST(VerifyWire, OutcomesOfChecks) {
  auto outcome = DecodeCheckOutcome(EncodeCheckOutcome({"damaged", true, "why", {"old"}}));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->state, "damaged");
  EXPECT_TRUE(outcome->repaired);
  EXPECT_EQ(outcome->problem, "why");
  EXPECT_EQ(outcome->warnings, std::vector<std::string>{"old"});
  // As servers before "koya verify" answer.
  EXPECT_TRUE(DecodeCheckOutcome(R"({"state":"ok","repaired":false,"problem":null})"));
  EXPECT_TRUE(DecodeVerifyRequest(EncodeVerifyRequest({.quick = false, .repair = true}))->repair);
  EXPECT_TRUE(DecodeVerifyRequest(EncodeVerifyRequest({.quick = true}))->quick);
  EXPECT_FALSE(DecodeVerifyRequest("")->repair);
}

VerifyProgress SomeProgress() {
  return {.quick = true,
          .mirrored_only = true,
          .partial = true,
          .checked = 5'000'000'000,
          .wrong = 2,
          .repaired = 1,
          .found = {{"münchen.example/acme/demo 1.0.0", "damaged", true}},
          .ended = true,
          .failure = "the server is away"};
}

TEST(VerifyWire, RunsComeBackAsTheyTold) {
  EXPECT_EQ(DecodeVerifyProgress(EncodeVerifyProgress(SomeProgress())), SomeProgress());
  EXPECT_EQ(DecodeVerifyProgress(""), VerifyProgress());
  EXPECT_EQ(DecodeVerifyProgress(R"({"checked":3,"failure":null})")->checked, 3U);
  EXPECT_EQ(DecodeVerifyRunId(EncodeVerifyRunId("one")), "one");
  const std::vector<VerifyRun> runs{{.id = "one",
                                     .by = "user:ada",
                                     .began_at = "2026-11-26T00:00:00Z",
                                     .told_at = "2026-11-26T00:01:00Z",
                                     .progress = SomeProgress()}};
  EXPECT_EQ(DecodeVerifyRuns(EncodeVerifyRuns(runs)), runs);
}

TEST(VerifyWire, ARunTellsTheFirstOfWhatIsWrong) {
  VerifyReport report{.checked = 100, .findings = {}};
  report.findings.push_back({KeptModule(), {.state = "ok", .warnings = {"old"}}});
  for (int i = 0; i < 30; ++i) {
    report.findings.push_back({KeptPackage(), {.state = "missing", .repaired = i % 2 == 0}});
  }
  report.findings[1].thing.address = std::string(499, 'x') + "é";
  VerifyProgress progress = SomeProgress();
  TakeFindings(report, progress);
  EXPECT_EQ(progress.checked, 100U);
  EXPECT_EQ(progress.wrong, 30U);
  EXPECT_EQ(progress.repaired, 15U);
  ASSERT_EQ(progress.found.size(), VerifyProgress::kMostFound);
  EXPECT_LE(progress.found[0].name.size(), VerifyProgress::kLongestText);
  EXPECT_TRUE(progress.found[0].repaired);
  EXPECT_EQ(progress.found[1], (VerifyWrong{KeptPackage().Name(), "missing", false}));
  EXPECT_TRUE(progress.quick) << "what was asked for stays";
  TakeFindings({}, progress);
  EXPECT_TRUE(progress.found.empty());

  progress.failure = std::string(499, 'x') + "é and more";
  EXPECT_EQ(DecodeVerifyProgress(EncodeVerifyProgress(progress))->failure, std::string(499, 'x'));
}

TEST(VerifyWire, WhatIsNoRunIsRefused) {
  for (const char* body :
       {"[]", R"({"checked":-1})", R"({"checked":"many"})", R"({"ended":"yes"})", R"({"found":{}})",
        R"({"found":[{"name":"a"}]})", R"({"found":[{"state":"missing"}]})"}) {
    EXPECT_FALSE(DecodeVerifyProgress(body)) << body;
  }
  for (const char* body : {"", "{}", R"({"id":""})", R"({"id":1})"}) {
    EXPECT_FALSE(DecodeVerifyRunId(body)) << body;
  }
  EXPECT_FALSE(DecodeVerifyRuns(R"({"runs":[{"id":"one"}]})"));
}

TEST(VerifyWire, WhatIsNoDocumentIsRefused) {
  EXPECT_FALSE(DecodeVerifyRequest(R"({"repair":"yes"})"));
  EXPECT_FALSE(DecodeVerifyRequest(R"({"quick":1})"));
  EXPECT_FALSE(DecodeCheckOutcome("{}"));
  EXPECT_FALSE(DecodeArtifactList("{}"));
  EXPECT_FALSE(DecodeArtifactList(R"({"things":[{"kind":"module","version":"1.0.0"}]})"));
}

TEST(VerifyWire, AReportTellsDamageAndWarningsApart) {
  VerifyReport report{.checked = 7,
                      .findings = {{KeptPackage(), {"damaged", true, "", {}}},
                                   {KeptModule(), {"ok", false, "", {"refused today"}}}}};
  EXPECT_EQ(report.damaged(), 1U);
  EXPECT_EQ(report.repaired(), 1U);
  EXPECT_EQ(
      EncodeVerifyReport(report),
      R"({"checked":7,"repaired":1,"findings":[{"kind":"package",)"
      R"("hostname":"xn--mnchen-3ya.example","address":"acme/demo","version":"1.0.0+b",)"
      R"("platform":"linux_amd64","size":5000000000,)"
      R"("name":"münchen.example/acme/demo 1.0.0+b linux_amd64","state":"damaged",)"
      R"("repaired":true,"problem":null,"warnings":[]}],"warnings":[{"kind":"module",)"
      R"("hostname":null,"address":"Acme/vpc/aws","version":"1.0.0","platform":null,"size":0,)"
      R"("name":"Acme/vpc/aws 1.0.0","warning":"refused today"}]})");
}

}  // namespace
}  // namespace koya::wire
