#include "domain/name_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/namespace_record.h"

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

TEST(NamespaceNameTest, IsWhatAModulesOrAProvidersMayBe) {
  const std::vector<std::pair<std::string, std::string>> kGood = {
      {"acme", "acme"},       {"Acme", "Acme"},  {"my_team", "my_team"},
      {"a--b", "a--b"},       {"x", "x"},        {"größe", "größe"},
      {"GRÖSSE", "grösse"},   {"ａcme", "acme"}, {std::string(64, 'a'), std::string(64, 'a')},
      {"Größe_1", "größe_1"},
  };
  for (const auto& [text, kept] : kGood) {
    auto name = ParseNamespaceName(text);
    ASSERT_TRUE(name) << text << ": " << name.error().message;
    EXPECT_EQ(*name, kept);
  }
}

TEST(NamespaceNameTest, IsNothingElse) {
  const std::vector<std::pair<std::string, std::string_view>> kBad = {
      {"", "is empty"},
      {"a.b", "letters, digits"},
      {"a/b", "letters, digits"},
      {"-a", "begin and end"},
      {"a_", "begin and end"},
      {"a b", "letters, digits"},
      {std::string(65, 'a'), "at most 64"},
      {"team-*", "letters, digits"},
      {std::string("a\0b", 3), "letters, digits"},
      {"größe_", "begin and end"},
      {"_größe", "begin and end"},
      {"größe.x", "leave out"},
      {"a\xff", "not UTF-8"},
  };
  for (const auto& [text, words] : kBad) {
    auto name = ParseNamespaceName(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(name.error().message.contains(words)) << text << ": " << name.error().message;
  }
}

TEST(ReservedNamespaceTest, AreTheWordsOfThisServersAddressesInAnyLetterCase) {
  for (std::string_view ns :
       {"-",         "api",        "v1",      "v2",    "mirror", "origin",   "modules",
        "providers", "namespaces", "search",  "login", "oauth",  "download", "feeds",
        "hooks",     "log",        "builtin", "API",   "Mirror", "V1"}) {
    EXPECT_TRUE(IsReservedNamespace(ns)) << ns;
  }
  for (std::string_view ns : {"acme", "api2", "v3", "v10", "mirrors", "module", "logs", "log-in",
                              "downloads", "koya", "hook", "feed", "o-auth", "my-api", "--", ""}) {
    EXPECT_FALSE(IsReservedNamespace(ns)) << ns;
  }
}

}  // namespace

}  // namespace koya
