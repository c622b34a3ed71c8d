#include "domain/protocol_version.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

TEST(ProtocolVersionTest, IsTwoNumbers) {
  for (std::string_view text : {"5.0", "6.0", "4.1", "0.0", "10.20", "2147483647.2147483647"}) {
    EXPECT_TRUE(CheckProtocolVersion(text)) << text;
  }
  EXPECT_TRUE(CheckProtocolVersion(kDefaultProtocol));
  for (std::string_view text : {"",
                                ".",
                                "5",
                                "5.",
                                ".0",
                                "5.0.0",
                                "v5.0",
                                "05.0",
                                "5.00",
                                "5.01",
                                "-5.0",
                                "+5.0",
                                " 5.0",
                                "5.0 ",
                                "5,0",
                                "5.x",
                                "2147483648.0",
                                "5.2147483648",
                                "99999999999999999999.0",
                                "5.0\n"}) {
    auto status = CheckProtocolVersion(text);
    ASSERT_FALSE(status) << text;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(status.error().message.find("write MAJOR.MINOR, for example 5.0"), std::string::npos)
        << status.error().message;
  }
}

TEST(ProtocolVersionTest, ListsAreSortedByNumberWithoutRepetitions) {
  using List = std::vector<std::string>;
  EXPECT_EQ(NormalizeProtocols({"5.0"}).value_or(List()), List({"5.0"}));
  EXPECT_EQ(NormalizeProtocols({"10.0", "6.0", "5.10", "5.9", "6.0"}).value_or(List()),
            List({"5.9", "5.10", "6.0", "10.0"}));
  EXPECT_TRUE(NormalizeProtocols(List(32, "5.0")));
}

TEST(ProtocolVersionTest, RefusesListsThatSayNothingOrTooMuch) {
  auto message = [](std::vector<std::string> list) {
    auto result = NormalizeProtocols(std::move(list));
    return result ? std::string("accepted") : result.error().message;
  };
  EXPECT_NE(message({}).find("is empty: name what the provider speaks"), std::string::npos);
  EXPECT_NE(message(std::vector<std::string>(33, "5.0")).find("at most 32"), std::string::npos);
  EXPECT_NE(message({"5.0", "6"}).find("\"6\" is not a protocol version"), std::string::npos);
}

}  // namespace
}  // namespace koya
