#include "wire/foreign_versions.h"

#include <gtest/gtest.h>

#include <string_view>

namespace koya::wire {
namespace {

TEST(ForeignVersionsTest, SkipsBadEntriesAndKeepsTheRest) {
  auto read = DecodeForeignVersions(
      R"({"id":5,"warnings":"old","versions":[{"version":"1.0.0","protocols":["5.0"],
          "platforms":[{"os":"linux","arch":"amd64"},{"os":"linux"},7]},
          null,"2.0.0",[],{},{"version":5},{"version":""},{"version":"3.0.0","protocols":"5.0"},
          {"version":"what ever","platforms":{}}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->skipped, 7u);
  EXPECT_EQ(read->document.id, "");
  EXPECT_TRUE(read->document.warnings.empty());
  ASSERT_EQ(read->document.versions.size(), 2u);
  EXPECT_EQ(read->document.versions[0], (ProviderVersion{"1.0.0", {"5.0"}, {{"linux", "amd64"}}}));
  EXPECT_EQ(read->document.versions[1].version, "what ever");
}

TEST(ForeignVersionsTest, ReadsAllOfAGoodList) {
  ProviderVersions document{"acme/demo", {{"1.0.0", {"6.0"}, {}}, {"2.0.0", {}, {}}}, {"old"}};
  auto read = DecodeForeignVersions(EncodeProviderVersions(document));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->document, document);
  EXPECT_EQ(read->skipped, 0u);
  for (std::string_view body : {"{}", R"({"versions":null})", R"({"versions":[]})"}) {
    ASSERT_TRUE(DecodeForeignVersions(body)) << body;
    EXPECT_TRUE(DecodeForeignVersions(body)->document.versions.empty()) << body;
  }
}

TEST(ForeignVersionsTest, RefusesWhatIsNoList) {
  for (std::string_view body :
       {"", "<html>", "[]", "5", R"({"versions":{}})", R"({"versions":"1.0.0"})"}) {
    auto read = DecodeForeignVersions(body);
    ASSERT_FALSE(read) << body;
    EXPECT_NE(read.error().message.find("the list of provider versions"), std::string::npos);
  }
}

}  // namespace
}  // namespace koya::wire
