#include "base/encoding.h"

#include <gtest/gtest.h>

#include "base/sha256.h"

namespace koya {
namespace {

TEST(HexTest, EncodesTheDigestOfNothing) {
  EXPECT_EQ(HexEncode(Sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(HexTest, DecodesWhatItEncodes) {
  Sha256Bytes digest = Sha256("koya");
  auto decoded = HexDecode(HexEncode(digest));
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(std::ranges::equal(*decoded, digest));
}

TEST(HexTest, RefusesWhatIsNotLowerCaseHex) {
  for (std::string_view bad : {"a", "AB", "0g", "0x", " 0", "é"})
    EXPECT_FALSE(HexDecode(bad)) << bad;
}

}  // namespace
}  // namespace koya
