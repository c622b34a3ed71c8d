#include "domain/namespace_name.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya {
namespace {

TEST(NamespaceNameTest, IsWhatAModulesOrAProvidersMayBe) {
  const std::vector<std::pair<std::string, std::string>> kGood = {
      {"acme", "acme"},     {"Acme", "Acme"},  {"my_team", "my_team"},
      {"a--b", "a--b"},     {"x", "x"},        {"größe", "größe"},
      {"GRÖSSE", "grösse"}, {"ａcme", "acme"}, {std::string(64, 'a'), std::string(64, 'a')},
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
      {"größe_1", "write \"-\" instead"},
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

}  // namespace
}  // namespace koya
