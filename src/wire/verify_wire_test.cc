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
  auto page = Decode<StoredArtifacts>(
      Encode<StoredArtifacts>({{KeptPackage(), KeptModule()}, "providers/acme/demo"}));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->things, (std::vector{KeptPackage(), KeptModule()}));
  EXPECT_EQ(page->next, "providers/acme/demo");
  EXPECT_EQ(Decode<StoredArtifacts>(R"({"things":[],"next":null})")->next, "");
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
  auto outcome = Decode<CheckOutcome>(Encode<CheckOutcome>({"damaged", true, "why", {"old"}}));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->state, "damaged");
  EXPECT_TRUE(outcome->repaired);
  EXPECT_EQ(outcome->problem, "why");
  EXPECT_EQ(outcome->warnings, std::vector<std::string>{"old"});
  // As servers before "koya verify" answer.
  EXPECT_TRUE(Decode<CheckOutcome>(R"({"state":"ok","repaired":false,"problem":null})"));
  EXPECT_TRUE(
      Decode<VerifyRequest>(Encode<VerifyRequest>({.quick = false, .repair = true}))->repair);
  EXPECT_TRUE(Decode<VerifyRequest>(Encode<VerifyRequest>({.quick = true}))->quick);
  EXPECT_FALSE(Decode<VerifyRequest>("")->repair);
}

TEST(VerifyWire, WhatIsNoDocumentIsRefused) {
  EXPECT_FALSE(Decode<VerifyRequest>(R"({"repair":"yes"})"));
  EXPECT_FALSE(Decode<VerifyRequest>(R"({"quick":1})"));
  EXPECT_FALSE(Decode<CheckOutcome>("{}"));
  EXPECT_FALSE(Decode<StoredArtifacts>("{}"));
  EXPECT_FALSE(Decode<StoredArtifacts>(R"({"things":[{"kind":"module","version":"1.0.0"}]})"));
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
