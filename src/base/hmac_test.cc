#include "base/hmac.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/hex.h"

namespace koya {
namespace {

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

}  // namespace
}  // namespace koya
