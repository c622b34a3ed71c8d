#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/encoding.h"

namespace koya {
namespace {

TEST(Sha256Test, GivesTheStandardsRows) {  // FIPS 180-4, NIST's example values
  EXPECT_EQ(HexEncode(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexEncode(Sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HexEncode(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256Test, PiecesAreOneText) {
  Sha256Hasher hasher;
  for (std::string_view piece : {"a", "", "bc"}) hasher.Update(piece);
  EXPECT_EQ(hasher.Finish(), Sha256("abc"));
}

TEST(Sha256Test, ARestartedHasherKnowsNothingOfBefore) {
  Sha256Hasher hasher;
  hasher.Update("half of a text");
  hasher.Restart();
  hasher.Update("abc");
  EXPECT_EQ(hasher.Finish(), Sha256("abc"));
  hasher.Restart();
  EXPECT_EQ(hasher.Finish(), Sha256(""));
}

// The hasher of whole texts is the thread's, and a text that has a hasher of its own is not its.
TEST(Sha256Test, TextsAndThreadsAreKeptApart) {
  Sha256Hasher hasher;
  hasher.Update("a");
  const Sha256Bytes between = Sha256("quite another text");
  hasher.Update("bc");
  EXPECT_EQ(hasher.Finish(), Sha256("abc"));
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([between] {
      for (int round = 0; round < 1000; ++round) {
        ASSERT_EQ(Sha256("quite another text"), between);
        ASSERT_NE(Sha256(std::to_string(round)), between);
      }
    });
  }
}

std::string HexHmac(const std::string& key, std::initializer_list<std::string_view> parts) {
  return HexEncode(HmacSha256(std::as_bytes(std::span(key)), parts));
}

TEST(HmacTest, GivesTheRfcsRows) {  // RFC 4231 §4
  struct Row {
    std::string key;
    std::string text;
    std::string_view mac;
  };
  const std::vector<Row> rows = {
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
  };
  for (const Row& row : rows) EXPECT_EQ(HexHmac(row.key, {row.text}), row.mac);
}

TEST(HmacTest, PartsAreOneText) {
  const std::string whole = HexHmac("Jefe", {"what do ya want for nothing?"});
  EXPECT_EQ(HexHmac("Jefe", {"what do ya ", "", "want for nothing", "?"}), whole);
  EXPECT_NE(HexHmac("Jefe", {"what do ya ", "want for nothing"}), whole);
  EXPECT_EQ(HexHmac("Jefe", {}), HexHmac("Jefe", {""}));
}

TEST(HmacTest, AnEmptyKeyIsNotTheKeyBefore) {
  constexpr std::string_view kNoKey =
      "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
  EXPECT_NE(HexHmac("Jefe", {}), kNoKey);
  EXPECT_EQ(HexHmac("", {}), kNoKey);
  EXPECT_EQ(HexEncode(HmacSha256({}, {})), kNoKey);
}

TEST(HmacTest, ThreadsDoNotMixTheirKeys) {
  std::vector<std::jthread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&wrong, i] {
      const std::string key(i + 1, 'k');
      const std::string expected = HexHmac(key, {"text"});
      for (int round = 0; round < 500; ++round) wrong[i] += HexHmac(key, {"text"}) != expected;
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

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
