#include "wire/foreign/foreign_versions.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wire/modules.h"

namespace koya::wire {
namespace {

TEST(ForeignModulesTest, SkipsBadEntriesAndKeepsTheRest) {
  auto read = DecodeForeignModuleVersions(
      R"({"modules":[{"source":5,"root":[],"versions":[{"version":"1.0.0","root":{}},null,"2.0.0",
          {},{"version":5},{"version":""},{"version":"v2"},{"version":"what ever"}]},
          {"versions":[{"version":"9.0.0"}]},null],"more":1})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->skipped, 5u);
  EXPECT_EQ(read->versions, (std::vector<std::string>{"1.0.0", "v2", "what ever"}));
}

TEST(ForeignModulesTest, ReadsAllOfAGoodList) {
  auto read = DecodeForeignModuleVersions(EncodeModuleVersions({"acme/vpc/aws", {"1.0.0", "2"}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->versions, (std::vector<std::string>{"1.0.0", "2"}));
  for (std::string_view body : {R"({"modules":[{}]})", R"({"modules":[{"versions":null}]})",
                                R"({"modules":[{"versions":[]}]})"}) {
    ASSERT_TRUE(DecodeForeignModuleVersions(body)) << body;
    EXPECT_TRUE(DecodeForeignModuleVersions(body)->versions.empty()) << body;
  }
}

TEST(ForeignModulesTest, ReadsTimesAsTheyAreSpelled) {
  auto read = DecodeForeignModuleVersions(
      R"({"modules":[{"versions":[{"version":"v1.0.0","discovered":"2026-04-07T10:11:12Z"},
          {"version":"1.1.0","discovered":"soon"},{"version":"1.2.0"},
          {"version":"1.3.0","discovered":5},{"version":"1.4.0","discovered":null},
          {"version":"1.5.0","discovered":""},{"version":"v1.0.0","discovered":"later"}]}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->versions.size(), 7u) << "a bad time costs no version";
  EXPECT_EQ(read->skipped, 0u);
  EXPECT_EQ(read->discovered, (std::map<std::string, std::string>{
                                  {"v1.0.0", "2026-04-07T10:11:12Z"}, {"1.1.0", "soon"}}));
}

TEST(ForeignModulesTest, ReadsTenThousandVersions) {
  std::string body = R"({"modules":[{"versions":[{"version":"1.0.0"})";
  for (int i = 1; i < 10'000; ++i) body += R"(,{"version":"1.0.)" + std::to_string(i) + "\"}";
  auto read = DecodeForeignModuleVersions(body + "]}]}");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->versions.size(), 10'000u);
  EXPECT_EQ(read->versions.back(), "1.0.9999");
}

TEST(ForeignModulesTest, RefusesWhatIsNoList) {
  for (std::string_view body :
       {"", "<html>", "[]", "5", "{}", R"({"modules":null})", R"({"modules":[]})",
        R"({"modules":{}})", R"({"modules":[null]})", R"({"modules":["x"]})", R"({"modules":[[]]})",
        R"({"modules":[{"versions":{}}]})", R"({"modules":[{"versions":"1.0.0"}]})"}) {
    auto read = DecodeForeignModuleVersions(body);
    ASSERT_FALSE(read) << body;
    EXPECT_EQ(read.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(read.error().message.find("the list of module versions"), std::string::npos);
  }
}

TEST(ForeignModulesTest, ReadsLocations) {
  struct Case {
    std::string_view body;
    std::string_view location;
    bool direct;
  };
  for (const Case& each : {
           Case{"{}", "", false},
           Case{R"({"location":null})", "", false},
           Case{R"({"location":"./a.zip","more":[]})", "./a.zip", false},
           Case{R"({"location":"a.zip","use_registry_credentials":false})", "a.zip", true},
           Case{R"({"location":"a.zip","use_registry_credentials":true})", "a.zip", true},
       }) {
    auto read = DecodeForeignModuleLocation(each.body);
    ASSERT_TRUE(read) << each.body;
    EXPECT_EQ(read->location, each.location);
    EXPECT_EQ(read->direct, each.direct);
  }
  for (std::string_view body : {"", "<html>", "[]", "\"a.zip\"", R"({"location":5})",
                                R"({"location":["a.zip"]})", R"({"location":"a.zip")"}) {
    EXPECT_FALSE(DecodeForeignModuleLocation(body)) << body;
  }
}

}  // namespace
}  // namespace koya::wire
