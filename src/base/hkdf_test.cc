#include "base/hkdf.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/hex.h"

namespace koya {
namespace {

std::string Bytes(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string Derived(std::string_view secret, std::string_view salt, std::string_view purpose,
                    std::size_t size) {
  std::vector<std::byte> key(size);
  DeriveKey(secret, purpose, key, salt);
  return HexEncode(key);
}

// RFC 5869, appendix A.1 and A.3.
TEST(HkdfTest, TheExamplesOfTheStandard) {
  std::string secret(22, '\x0b');
  EXPECT_EQ(Derived(secret, Bytes("000102030405060708090a0b0c"), Bytes("f0f1f2f3f4f5f6f7f8f9"), 42),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
  EXPECT_EQ(Derived(secret, "", "", 42),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
}

TEST(HkdfTest, WhatIsAskedForInPartsIsTheSameBytes) {
  std::string whole = Derived("a secret", "", "one", 100);
  EXPECT_EQ(whole.substr(0, 64), Derived("a secret", "", "one", 32));
  EXPECT_EQ(whole.substr(0, 66), Derived("a secret", "", "one", 33));
  EXPECT_EQ(Derived("a secret", "", "one", 0), "");
  EXPECT_NE(Derived("a secret", "", "one", 32), Derived("a secret", "", "two", 32));
  EXPECT_NE(Derived("a secret", "", "one", 32), Derived("another", "", "one", 32));
}

}  // namespace
}  // namespace koya
