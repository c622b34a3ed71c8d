#include "base/encoding.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace koya {
namespace {

TEST(Base64Test, EncodesAndDecodesTheRfcsRows) {  // RFC 4648 §10
  struct Row {
    std::string_view plain;
    std::string_view encoded;
  };
  for (const Row& row :
       {Row{"", ""}, Row{"f", "Zg=="}, Row{"fo", "Zm8="}, Row{"foo", "Zm9v"},
        Row{"foob", "Zm9vYg=="}, Row{"fooba", "Zm9vYmE="}, Row{"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(Base64Encode(std::as_bytes(std::span(row.plain))), row.encoded);
    EXPECT_EQ(Base64Decode(row.encoded), row.plain);
  }
}

TEST(Base64Test, EveryByteComesBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t size = 250; size <= all.size(); ++size) {
    std::string_view part = std::string_view(all).substr(0, size);
    EXPECT_EQ(Base64Decode(Base64Encode(std::as_bytes(std::span(part)))), part) << size;
  }
}

TEST(Base64Test, DecodesIntoABufferThatIsLargeEnough) {
  std::array<char, 5> buffer{};
  for (std::string_view row : {"", "Zg==", "Zm9v", "Zm9vYmE="}) {
    EXPECT_EQ(Base64Decode(row, buffer), Base64Decode(row)) << row;
  }
  for (std::string_view row : {"Zm9vYmFy", "Zm9vYmE", "Zm9!", "Zh==", "===="}) {
    EXPECT_FALSE(Base64Decode(row, buffer)) << row;
  }
}

TEST(Base64Test, RefusesWhatIsNotCanonical) {
  for (std::string_view bad : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm9v=", "Zm9vYg=",
                               "Zm 9v", "Zm9v\n", "Zg==Zg==", "-_==", "Zm=v"}) {
    EXPECT_FALSE(Base64Decode(bad)) << bad;
  }
}

TEST(Base64UrlTest, HasNoPaddingAndIsSafeInPaths) {
  auto encode = [](std::string_view text) {
    return Base64UrlEncode(std::as_bytes(std::span(text)));
  };
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg");
  EXPECT_EQ(encode("fo"), "Zm8");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("\xff\xfe\xfd"), "__79");
}

TEST(Base64UrlTest, EveryByteComesBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t size = 0; size <= all.size(); ++size) {
    std::string_view part = std::string_view(all).substr(0, size);
    EXPECT_EQ(Base64UrlDecode(Base64UrlEncode(std::as_bytes(std::span(part)))), part) << size;
  }
}

TEST(Base64UrlTest, RefusesWhatIsNotCanonical) {
  for (std::string_view bad : {"Z", "Zm9vZ", "Zg==", "Zm8=", "Zh", "Z_", "Zm9", "Zm-", "__7/",
                               "++79", "Zm9v\n", " Zm9", "Zm9v%", "Zm\xff", "="}) {
    EXPECT_FALSE(Base64UrlDecode(bad)) << bad;
  }
  EXPECT_FALSE(Base64UrlDecode(std::string_view("Zm9v\0", 5)));
}

}  // namespace
}  // namespace koya
