#include "base/decimal.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace koya {
namespace {

TEST(DecimalTest, TakesDigitsThatFillTheText) {
  EXPECT_EQ(ParseDecimal<unsigned>("0"), 0U);
  EXPECT_EQ(ParseDecimal<unsigned>("007"), 7U);
  EXPECT_EQ(ParseDecimal<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(ParseDecimal<std::int64_t>("-12"), -12);
}

TEST(DecimalTest, TakesNothingElse) {
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "1.0", "0x1", "65536"}) {
    EXPECT_EQ(ParseDecimal<std::uint16_t>(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace koya
