#include "domain/audit_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace koya {
namespace {

TEST(AuditFactsTest, FactsAreAJsonObject) {
  EXPECT_EQ(AuditFacts().ToJson(), "{}");
  AuditFacts facts;
  facts.Add("visibility", "private").Add("size", 12).Add("ends", std::optional<std::int64_t>());
  facts.Add("at", std::optional<std::int64_t>(-5));
  EXPECT_EQ(facts.ToJson(), R"({"visibility":"private","size":12,"at":-5})");
}

TEST(AuditFactsTest, NoTextLeavesItsQuotes) {
  const std::pair<std::string, std::string> kTexts[] = {
      {"", ""},
      {"plain", "plain"},
      {"\"", "\\\""},
      {"\\", "\\\\"},
      {"a\nb", "a\\\\x0ab"},
      {std::string("a\0b", 3), "a\\\\x00b"},
      {"\xff", "\\\\xff"},
      {"\x7f", "\\\\x7f"},
      {"é日", "é日"},
      {"\",\"admin\":\"", "\\\",\\\"admin\\\":\\\""},
  };
  for (const auto& [text, expected] : kTexts) {
    AuditFacts facts;
    facts.Add("a", text);
    EXPECT_EQ(facts.ToJson(), "{\"a\":\"" + expected + "\"}");
  }
}

TEST(AuditFactsTest, LongTextsAndListsAreCut) {
  AuditFacts text;
  text.Add("a", std::string(10'000, 'x'));
  EXPECT_LT(text.ToJson().size(), 600U);
  EXPECT_TRUE(text.ToJson().ends_with("x…\"}"));
  AuditFacts list;
  list.Add("a", std::vector<std::string>{"x", "\""}).Add("b", std::vector<std::string>());
  EXPECT_EQ(list.ToJson(), R"({"a":["x","\""],"b":[]})");
  AuditFacts many;
  many.Add("a", std::vector<std::string>(22, "x"));
  EXPECT_TRUE(many.ToJson().ends_with(R"("x","and 2 more"]})")) << many.ToJson();
}

}  // namespace
}  // namespace koya
