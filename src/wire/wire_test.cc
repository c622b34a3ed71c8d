// Round trips, and what decoders refuse: these documents come from anywhere.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "wire/discovery.h"
#include "wire/document_refusal_fake.h"
#include "wire/error_document.h"
#include "wire/modules.h"
#include "wire/tokens.h"

namespace koya::wire {
namespace {

TEST(DiscoveryTest, IsTheDocumentThatClientsExpect) {
  EXPECT_EQ(EncodeDiscovery({{"modules.v1", "/v1/modules/"}}), R"({"modules.v1":"/v1/modules/"})");
}

TEST(DiscoveryTest, PassesOverServicesThatAreNotUrls) {
  auto services = DecodeDiscovery(R"({"modules.v1":"/m/","login.v1":{"client":"x"},"x.v1":3})");
  ASSERT_TRUE(services);
  EXPECT_EQ(*services, (std::vector<Service>{{"modules.v1", "/m/"}}));
}

TEST(ModuleVersionsTest, HasExactlyOneModuleWithItsSource) {
  EXPECT_EQ(EncodeModuleVersions({"acme/vpc/aws", {"1.1.0", "1.0.0"}}),
            R"({"modules":[{"source":"acme/vpc/aws","versions":[{"version":"1.1.0"},)"
            R"({"version":"1.0.0"}]}]})");
}

TEST(RoundTripTest, EveryDocumentReadsBack) {
  ModuleVersions versions{"acme/vpc/aws", {"2.0.0", "1.0.0-rc.1+b\"x"}};
  EXPECT_EQ(DecodeModuleVersions(EncodeModuleVersions(versions)), versions);

  ModuleDetails details{"acme",
                        "vpc",
                        "aws",
                        "1.0.0",
                        "ci",
                        "A \"VPC\"\n",
                        "h/acme/vpc/aws",
                        "2026-11-21T16:41:10Z",
                        41,
                        {"1.0.0"}};
  EXPECT_EQ(Decode<ModuleDetails>(EncodeModuleDetails(details)), details);
  EXPECT_FALSE(EncodeModuleDetails(details).contains("warning"));
  details.deprecation = "use \"2.0.0\"";
  EXPECT_TRUE(EncodeModuleDetails(details).contains(R"("warning":"use \"2.0.0\"")"));
  EXPECT_EQ(Decode<ModuleDetails>(EncodeModuleDetails(details)), details);

  ModuleList list{15, 30, 45, 15, "/v1/modules?offset=45", "/v1/modules?offset=15", {details}};
  EXPECT_EQ(DecodeModuleList(EncodeModuleList(list)), list);
  ModuleList bare{15, 0, {}, {}, "", "", {}};
  EXPECT_EQ(DecodeModuleList(EncodeModuleList(bare)), bare);

  PublishedModule published{.address = "acme/vpc/aws",
                            .version = "1.0.0",
                            .digest = "sha256:00",
                            .size = 12,
                            .location = "https://h/d",
                            .repacked = true};
  EXPECT_EQ(Decode<PublishedModule>(Encode(published)), published);
  published.warnings = {{.file = "main.tf", .line = 3, .text = "strange"}};
  published.comparison = Comparison{.from = "0.9.0",
                                    .to = "1.0.0",
                                    .verdict = "major",
                                    .given = "major",
                                    .changes = {{.kind = "removed",
                                                 .what = "input \"a\"",
                                                 .where = "main.tf:1",
                                                 .severity = "breaking",
                                                 .text = "It is gone."}}};
  published.semver = "warn";
  EXPECT_EQ(Decode<PublishedModule>(Encode(published)), published);

  TokenRequest request{"ci", "publish", {"acme*"}, "90d", "build"};
  EXPECT_EQ(Decode<TokenRequest>(Encode(request)), request);
  std::vector<Token> tokens{{"ci",
                             "koya_x",
                             "publish",
                             {"acme"},
                             "build",
                             "service",
                             "2027-01-01T00:00:00Z",
                             "2026-01-01T00:00:00Z",
                             "owner",
                             ""},
                            {"dev",
                             "",
                             "admin",
                             {},
                             "",
                             "",
                             "",
                             "2026-01-01T00:00:00Z",
                             "",
                             "2026-02-01T00:00:00Z",
                             "2001:db8::7"}};
  EXPECT_EQ(Decode<TokenList>(Encode(TokenList{tokens})), (TokenList{tokens}));
  EXPECT_EQ(DecodeModuleLocation(EncodeModuleLocation("https://h/a.zip?checksum=sha256:0")),
            "https://h/a.zip?checksum=sha256:0");
  const Withdrawal withdrawal{.reason = "leaks a key", .successor = "1.2.1"};
  EXPECT_EQ(Decode<Withdrawal>(Encode(withdrawal)), withdrawal);
  EXPECT_EQ(Encode<Withdrawal>({.reason = "leaks", .successor = {}}), R"({"reason":"leaks"})");
  EXPECT_EQ(Decode<Restore>(Encode(Restore{"by mistake"})), (Restore{"by mistake"}));
}

TEST(ErrorDocumentTest, ReadsWhatItWritesAndToleratesTheRest) {
  std::vector<std::string> sentences{"one", "two \"quoted\""};
  const std::string written = EncodeErrors(sentences, ErrorKind::kNotFound, 404);
  EXPECT_EQ(written, R"({"errors":["one","two \"quoted\""],"code":"not_found","status":404})");
  EXPECT_EQ(DecodeErrors(written), sentences);
  EXPECT_EQ(DecodeErrorDocument(written).code, "not_found");
  EXPECT_EQ(DecodeErrorDocument(R"({"errors":["one"],"code":7})").code, "");
  EXPECT_TRUE(EncodeErrors(sentences, ErrorKind::kTimeout, 0).ends_with(R"("status":null})"));
  for (std::string_view other : {"", "[]", "<html>", R"({"errors":"x"})", R"({"errors":[1,{}]})"}) {
    EXPECT_TRUE(DecodeErrors(other).empty()) << other;
  }
}

TEST(DecodeTest, RefusesWhatAClientWouldRefuse) {
  auto versions = OnlyError(DecodeModuleVersions);
  const std::vector<DocumentRefusal> kRefusals = {
      {"empty", versions, "", "not valid JSON"},
      {"html", versions, "<html>", "not valid JSON"},
      {"cut off", versions, R"({"modules":[{"ver)", "not valid JSON"},
      {"trailing bytes", versions, R"({"modules":[]} x)", "not valid JSON"},
      {"array", versions, "[]", "must be a JSON object"},
      {"no modules", versions, "{}", "\"modules\" must be an array"},
      {"null modules", versions, R"({"modules":null})", "must be an array"},
      {"no element", versions, R"({"modules":[]})", "is empty"},
      {"null element", versions, R"({"modules":[null]})", "array of objects"},
      {"no versions", versions, R"({"modules":[{}]})", "\"versions\" must be an array"},
      {"version not text", versions, R"({"modules":[{"versions":[{"version":1}]}]})", "a string"},
      {"source not text", versions, R"({"modules":[{"source":1,"versions":[]}]})", "a string"},
      {"too deep", versions, std::string(100, '[') + std::string(100, ']'), "not valid JSON"},
      {"no location", OnlyError(DecodeModuleLocation), "{}", "\"location\" must be given"},
      {"empty location", OnlyError(DecodeModuleLocation), R"({"location":""})", "must be given"},
      {"no reason", OnlyError(Decode<Withdrawal>), "{}", "\"reason\" must be given"},
      {"no name", OnlyError(Decode<TokenRequest>), R"({"scope":"read"})", "\"name\" must be given"},
      {"namespaces text", OnlyError(Decode<TokenRequest>),
       R"({"name":"x","scope":"read","namespaces":"a"})", "array of strings"},
      {"discovery array", OnlyError(DecodeDiscovery), "[]", "must be a JSON object"},
      {"list without modules", OnlyError(DecodeModuleList), R"({"meta":{}})", "must be an array"},
      {"negative number", OnlyError(Decode<PublishedModule>),
       R"({"address":"a","version":"1","digest":"d","size":-1})", "whole number"},
  };
  for (const DocumentRefusal& refusal : kRefusals) {
    Status status = refusal.decode(refusal.body);
    ASSERT_FALSE(status) << refusal.name;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid) << refusal.name;
    EXPECT_NE(status.error().message.find(refusal.message_part), std::string::npos)
        << refusal.name << ": " << status.error().message;
  }
}

}  // namespace
}  // namespace koya::wire
