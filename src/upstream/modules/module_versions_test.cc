#include "upstream/modules/module_versions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::upstream {
namespace {

TEST(ModuleVersionsTest, SpellsVersionsAsClientsAskForThem) {
  for (auto [listed, asked] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"1.0.0", "1.0.0"},
           {"v1.0.0", "1.0.0"},
           {"1.0", "1.0.0"},
           {"v1.2", "1.2.0"},
           {"2", "2.0.0"},
           {"01.002.0003", "1.2.3"},
           {"1.0.0-rc.1", "1.0.0-rc.1"},
           {"1.0.0rc1", "1.0.0-rc1"},
           {"1-beta", "1.0.0-beta"},
           {"v1.2+build.7", "1.2.0+build.7"},
           {"1.0.0-rc1+b", "1.0.0-rc1+b"},
           {"0.0.1", "0.0.1"},
           {"9223372036854775807.0.0", "9223372036854775807.0.0"},
       }) {
    auto version = CanonicalVersion(listed);
    ASSERT_TRUE(version) << listed;
    EXPECT_EQ(version->ToString(), asked);
  }
}

TEST(ModuleVersionsTest, LeavesOutWhatClientsPassOverAndWhatWeCannotHold) {
  for (std::string_view listed : {"",
                                  "v",
                                  "vv1.0.0",
                                  "V1.0.0",
                                  "latest",
                                  "1.",
                                  "1..0",
                                  ".1",
                                  "1.0.0.1",
                                  "1.0.0.",
                                  "1.0.0-",
                                  "1.0.0+",
                                  "1.0.0 ",
                                  " 1.0.0",
                                  "1.0.0~1",
                                  "1.0.0-a..b",
                                  "-1.0.0",
                                  "1.0.0/../x",
                                  "0.0.0",
                                  "9223372036854775808.0.0",
                                  "18446744073709551616.0.0",
                                  "1.0.99999999999999999999999",
                                  "1.0.0-01",
                                  "1.0.0-\xC3\xA9"}) {
    EXPECT_FALSE(CanonicalVersion(listed)) << listed;
  }
  EXPECT_FALSE(CanonicalVersion(std::string_view("1.0.0\0", 6)));
  EXPECT_FALSE(CanonicalVersion("1.0.0-" + std::string(200, 'a')));
}

TEST(ModuleVersionsTest, KeepsTheOrderAndEachOnce) {
  auto read = CanonicalVersionsOf({"2.0.0", "v1", "nope", "1.0.0", "1.0.0+a", "1.0", "1.0.0.0"});
  EXPECT_EQ(read.skipped, 2u);
  std::vector<std::string> spelled;
  for (const Version& each : read.versions) spelled.push_back(each.ToString());
  EXPECT_EQ(spelled, (std::vector<std::string>{"2.0.0", "1.0.0", "1.0.0+a"}));
}

}  // namespace
}  // namespace koya::upstream
