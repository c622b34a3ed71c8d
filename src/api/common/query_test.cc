#include "api/common/query.h"

#include <gtest/gtest.h>

#include "http/url.h"

namespace koya::api {
namespace {

TEST(QueryParameterTest, FindsAndDecodes) {
  EXPECT_EQ(**QueryParameter("q=a%20b+c&limit=5", "q"), "a b c");
  EXPECT_EQ(**QueryParameter("q=%C3%A9", "q"), "é");
  EXPECT_EQ(**QueryParameter("a=1&a=2", "a"), "1");
  EXPECT_EQ(**QueryParameter("flag", "flag"), "");
  EXPECT_EQ(**QueryParameter("x=&y", "x"), "");
  EXPECT_FALSE(QueryParameter("qq=1&xq=2", "q")->has_value());
  EXPECT_FALSE(QueryParameter("", "q")->has_value());
}

TEST(QueryParameterTest, RefusesBrokenEncoding) {
  for (std::string_view query : {"q=%", "q=%4", "q=%zz", "q=abc%2", "q=%00", "q=%ff", "q=%1b[0m"}) {
    auto value = QueryParameter(query, "q");
    ASSERT_FALSE(value) << query;
    EXPECT_EQ(value.error().kind, ErrorKind::kInvalid);
  }
  EXPECT_FALSE(QueryParameter("q=" + std::string(1001, 'a'), "q"));
}

TEST(QueryNumberTest, TakesWholeNumbersOnly) {
  EXPECT_EQ(QueryNumber("limit=20", "limit", 15), 20U);
  EXPECT_EQ(QueryNumber("", "limit", 15), 15U);
  for (std::string_view query :
       {"limit=", "limit=-1", "limit=1.5", "limit=x", "limit=1e3", "limit=99999999999999999999"}) {
    EXPECT_FALSE(QueryNumber(query, "limit", 15)) << query;
  }
}

TEST(QueryParameterTest, ReadsWhatWasPercentEncoded) {
  std::string hostile = "a b&c=d%+é/?#";
  EXPECT_EQ(**QueryParameter("q=" + http::PercentEncode(hostile), "q"), hostile);
}

TEST(FormTest, ReadsWhatBrowsersSend) {
  struct Case {
    std::string_view text;
    std::vector<std::pair<std::string_view, std::string_view>> fields;
  };
  const std::vector<Case> kCases = {
      {"", {}},
      {"a=1", {{"a", "1"}}},
      {"a=1&b=2", {{"a", "1"}, {"b", "2"}}},
      {"a=&b", {{"a", ""}, {"b", ""}}},
      {"&&a=1&", {{"a", "1"}}},
      {"a=x+y%20z", {{"a", "x y z"}}},
      {"a=%2B%26%3D%25", {{"a", "+&=%"}}},
      {"a=%2541", {{"a", "%41"}}},  // once
      {"a=b=c", {{"a", "b=c"}}},
      {"%61=1", {{"a", "1"}}},
      {"a=%E9%8D%B5&b=\xE9\x8D\xB5", {{"a", "\xE9\x8D\xB5"}, {"b", "\xE9\x8D\xB5"}}},
      {"a=1%0D%0A2", {{"a", "1\r\n2"}}},
      {"a=1&A=2", {{"a", "1"}, {"A", "2"}}},
  };
  for (const Case& each : kCases) {
    Result<Form> form = Form::Parse(each.text);
    ASSERT_TRUE(form) << each.text << ": " << form.error().message;
    EXPECT_EQ(form->size(), each.fields.size()) << each.text;
    for (const auto& [name, value] : each.fields) EXPECT_EQ(form->Get(name), value) << each.text;
    EXPECT_EQ(form->Get("absent"), "");
  }
}

TEST(FormTest, RefusesWhatCouldBeReadInTwoWays) {
  const std::vector<std::string> kRefused = {
      "a=1&a=2",      // which of them
      "a=1&%61=2",    // the same, in disguise
      "a=1&b=2&a=",   //
      "=1",           // of no name
      "a=%",          // broken escapes
      "a=%4",         //
      "a=%zz",        //
      "a=% 1",        //
      "%=1",          //
      "a=%00",        // zero bytes
      "%00=1",        //
      "a=%FF",        // no UTF-8
      "a=%C0%AF",     // over-long
      "a=%ED%A0%80",  // half a surrogate
      "a=\xFF",       //
      "a=" + std::string(Form::kMostBytes, 'x'),
  };
  for (const std::string& text : kRefused) {
    Result<Form> form = Form::Parse(text);
    ASSERT_FALSE(form) << text;
    EXPECT_EQ(form.error().kind, ErrorKind::kInvalid) << text;
  }
}

TEST(FormTest, HasBounds) {
  std::string most;
  for (std::size_t i = 0; i < Form::kMostFields; ++i) most += "f" + std::to_string(i) + "=&";
  EXPECT_TRUE(Form::Parse(most));
  EXPECT_FALSE(Form::Parse(most + "more="));
  EXPECT_TRUE(Form::Parse("a=" + std::string(Form::kMostBytes - 2, 'x')));
}

TEST(FormTest, NeverQuotesAValue) {
  for (std::string_view text : {"password=hunter2%", "password=hunter2%00", "password=hunter2%FF",
                                "password=hunter2&password=hunter2"}) {
    Result<Form> form = Form::Parse(text);
    ASSERT_FALSE(form) << text;
    EXPECT_FALSE((form.error().message + form.error().detail).contains("hunter2")) << text;
    EXPECT_TRUE(form.error().message.contains("password")) << form.error().message;
  }
}

TEST(SplitFieldTest, GivesThePartsThatAreNotEmpty) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(SplitField("acme, team-*", " ,"), Parts({"acme", "team-*"}));
  EXPECT_EQ(SplitField("a=1\r\nb=c, d\n", "\r\n"), Parts({"a=1", "b=c, d"}));
  EXPECT_EQ(SplitField("acme", " ,"), Parts({"acme"}));
  for (std::string_view empty : {"", ",", " , ,, "}) {
    EXPECT_EQ(SplitField(empty, " ,"), Parts()) << empty;
  }
}

}  // namespace

}  // namespace koya::api
