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

TEST(AuditFactsTest, AreReadAsTheyWereWritten) {
  AuditFacts facts;
  facts.Add("a", "x \"y\" \\z").Add("b", -12).Add("c", std::vector<std::string>{"d", "e, f"});
  facts.Add("empty", "").Add("none", std::vector<std::string>());
  using Facts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(
      ReadAuditFacts(facts.ToJson()),
      (Facts{{"a", "x \"y\" \\z"}, {"b", "-12"}, {"c", "d, e, f"}, {"empty", ""}, {"none", ""}}));
  // As far as they can be read.
  const std::pair<const char*, Facts> kOthers[] = {
      {"", {}},
      {"null", {}},
      {"{}", {}},
      {"[1]", {}},
      {R"({"a":"b","c":{}})", {{"a", "b"}}},
      {R"({"a":"b",)", {{"a", "b"}}},
      {R"({"a":"b)", {}},
      {R"({"a":"b\)", {}},
      {R"({"a":["b")", {}},
      {R"({"a":["b" "c"]})", {}},
      {R"({"a":true})", {}},
      {R"({"a" "b"})", {}},
  };
  for (const auto& [json, expected] : kOthers) EXPECT_EQ(ReadAuditFacts(json), expected) << json;
}

}  // namespace
}  // namespace koya
