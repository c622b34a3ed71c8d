#include "wire/renovate.h"

#include <gtest/gtest.h>

namespace koya::wire {
namespace {

TEST(RenovateTest, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(EncodeRenovatePackage({}), R"({"releases":[]})");
  EXPECT_EQ(EncodeRenovatePackage({.releases = {{.version = "1.0.0"}}}),
            R"({"releases":[{"version":"1.0.0"}]})");
  EXPECT_EQ(
      EncodeRenovatePackage({.releases = {{.version = "1.0.0",
                                           .release_timestamp = "2026-04-07T10:11:12Z",
                                           .is_deprecated = true,
                                           .changelog_url = "https://koya.example.com/c",
                                           .source_url = "https://github.com/acme/vpc",
                                           .source_directory = "aws",
                                           .digest = "sha256:00"}},
                             .source_url = "https://github.com/acme/vpc",
                             .source_directory = "modules/aws",
                             .latest = "1.0.0"}),
      R"({"releases":[{"version":"1.0.0","releaseTimestamp":"2026-04-07T10:11:12Z",)"
      R"("isDeprecated":true,"changelogUrl":"https://koya.example.com/c",)"
      R"("sourceUrl":"https://github.com/acme/vpc","sourceDirectory":"aws",)"
      R"("digest":"sha256:00"}],)"
      R"("sourceUrl":"https://github.com/acme/vpc","sourceDirectory":"modules/aws","tags":{"latest":"1.0.0"}})");
}

}  // namespace
}  // namespace koya::wire
