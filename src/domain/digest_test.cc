#include "domain/digest.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

constexpr std::string_view kEmpty =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(DigestTest, ReadsWhatItWrites) {
  Digest digest = Digest::Of("");
  EXPECT_EQ(digest.hex(), kEmpty);
  EXPECT_EQ(Digest::Parse(digest.ToString()), digest);
  EXPECT_EQ(Digest::Parse(kEmpty), digest);
}

TEST(DigestTest, RefusesOtherForms) {
  std::string upper(kEmpty);
  upper[0] = 'E';
  for (std::string text : {std::string(), std::string("sha256:"), std::string(kEmpty.substr(1)),
                           std::string(kEmpty) + "0", upper, "md5:" + std::string(kEmpty),
                           " " + std::string(kEmpty)}) {
    auto digest = Digest::Parse(text);
    ASSERT_FALSE(digest) << text;
    EXPECT_EQ(digest.error().kind, ErrorKind::kInvalid);
  }
}

}  // namespace
}  // namespace koya
