#include "domain/account_name.h"

#include <gtest/gtest.h>

#include <string>

namespace koya {
namespace {

TEST(AccountNameTest, TakesLettersDigitsAndFewSigns) {
  for (const std::string& name : {std::string("ada"), std::string("A.d_a-1"), std::string("..."),
                                  std::string("7"), std::string(64, 'x')}) {
    EXPECT_TRUE(CheckAccountName(AccountKind::kUser, name)) << name;
    EXPECT_TRUE(CheckAccountName(AccountKind::kService, name)) << name;
    EXPECT_TRUE(CheckGroupName(name)) << name;
    for (GranteeKind kind : {GranteeKind::kUser, GranteeKind::kGroup, GranteeKind::kService}) {
      EXPECT_TRUE(CheckGranteeName(kind, name)) << name;
    }
  }
}

TEST(AccountNameTest, RefusesTheRest) {
  for (const std::string& name :
       {std::string(), std::string(65, 'x'), std::string("a b"), std::string("a/b"),
        std::string("."), std::string(".."), std::string("größe"), std::string("a\n"),
        std::string("a\0b", 3), std::string("a*"), std::string("a+b"), std::string("a%2Fb")}) {
    for (GranteeKind kind : {GranteeKind::kUser, GranteeKind::kGroup, GranteeKind::kService}) {
      Status refused = CheckGranteeName(kind, name);
      ASSERT_FALSE(refused) << name;
      EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
      EXPECT_TRUE(refused.error().message.contains("use 1 to 64 letters"))
          << refused.error().message;
    }
  }
}

TEST(AccountNameTest, OnlyUsersMayBeMailAddresses) {
  EXPECT_TRUE(CheckAccountName(AccountKind::kUser, "ada@example.com"));
  EXPECT_TRUE(CheckGranteeName(GranteeKind::kUser, "ada@example.com"));
  EXPECT_FALSE(CheckAccountName(AccountKind::kService, "ada@example.com"));
  EXPECT_FALSE(CheckGroupName("ada@example.com"));
  EXPECT_FALSE(CheckGranteeName(GranteeKind::kService, "ada@example.com"));
}

}  // namespace
}  // namespace koya
